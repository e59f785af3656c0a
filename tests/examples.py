"""Settings of Hypothesis that several tests share."""

from hypothesis import HealthCheck

SHARED_FIXTURES = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
"""The health checks to suppress if all examples of a test may use the same fixtures."""
