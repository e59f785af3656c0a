// Fulfils d6 rolls in Foundry VTT with the dice that a Traykeeper tray reads.
const ID = "traykeeper";
const METHOD = "traykeeper";
const SCHEMA_VERSION = 1;

let source = null;
const used = new Set(); // ids of rolls whose dice Foundry has accepted

Hooks.once("init", () => {
  game.settings.register(ID, "address", {
    name: "TRAYKEEPER.Address", hint: "TRAYKEEPER.AddressHint",
    scope: "client", config: true, type: String, default: "", onChange: connect,
  });
  CONFIG.Dice.fulfillment.methods[METHOD] = {
    label: "TRAYKEEPER.Method", icon: '<i class="fa-solid fa-dice"></i>', interactive: true,
  };
});

Hooks.once("ready", () => connect(game.settings.get(ID, "address")));

function connect(address) {
  source?.close();
  source = null;
  if (!address) return;
  source = new EventSource(`${address.replace(/\/+$/, "")}/api/v1/events?steps=1`);
  source.addEventListener("step", (event) => onStep(JSON.parse(event.data)));
}

function onStep(step) {
  if (step.version !== SCHEMA_VERSION || !step.roll) return;
  if (step.kind === "read") fulfil(step.roll);
  if (step.kind === "corrected" && used.has(step.roll.id)) notify("TRAYKEEPER.Corrected", step.roll.dice);
}

// Offer each die to the roll that is waiting. Foundry returns true if that roll has accepted the die.
function fulfil(roll) {
  const spare = roll.dice.filter((face) => Roll.defaultImplementation.registerResult(METHOD, "d6", face) !== true);
  if (spare.length < roll.dice.length) used.add(roll.id);
  if (spare.length) notify("TRAYKEEPER.Spare", spare);
}

function notify(message, dice) {
  ui.notifications.warn(game.i18n.format(message, { dice: dice.join(" ") }));
}
