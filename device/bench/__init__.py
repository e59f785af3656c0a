"""The measurements that `traykeeper bench fit` takes on this machine."""
