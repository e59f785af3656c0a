// Plays a match with the types that openapi-typescript has generated: node play.mjs URL TOKEN
import type { paths, components } from "./api";

declare const process: { argv: string[] };

type State = components["schemas"]["StateJson"];
type Posts = { [P in keyof paths]: paths[P] extends { post: object } ? P : never }[keyof paths];
type Gets = { [P in keyof paths]: paths[P] extends { get: object } ? P : never }[keyof paths];
type Body<P extends keyof paths> =
  paths[P] extends { post: { requestBody?: { content: { "application/json": infer B } } } } ? B : never;
type Answer<P extends keyof paths, M extends "get" | "post"> =
  paths[P] extends { [K in M]: { responses: { 200: { content: { "application/json": infer A } } } } } ? A : never;

const [url, token] = process.argv.slice(2);
let cookie = "";

async function checked(answer: Response) {
  if (!answer.ok) throw new Error(`${answer.url}: ${answer.status} ${await answer.text()}`);
  cookie = answer.headers.get("set-cookie")?.split(";")[0] ?? cookie;
  return answer.json();
}

async function get<P extends Gets>(path: P): Promise<Answer<P, "get">> {
  return checked(await fetch(url + path, { headers: { cookie } }));
}

async function post<P extends Posts>(path: P, body: Body<P>): Promise<Answer<P, "post">> {
  const headers = { cookie, "Content-Type": "application/json" };
  return checked(await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) }));
}

const throwDice = (n: number) => Array.from({ length: n }, () => 1 + Math.floor(Math.random() * 6));

await post("/api/v1/scorekeeper/link", { token });
let state: State = await post("/api/v1/match", { names: ["Anna", "Ben"], target: 2000, options: { opening: 0 } });
while (state.winner === null) {
  const { bank, keeps } = state;
  const last = state.turn?.throws.at(-1);
  if (last && bank && !bank.refusal && bank.points >= 200) {
    state = await post("/api/v1/bank", { dice: bank.dice, points: bank.points });
    continue;
  }
  if (last && keeps.length && last.kept === null) state = await post("/api/v1/keep", { dice: keeps[0].dice });
  state = await post("/api/v1/dice", { dice: throwDice(state.dice_to_throw) });
}
const match = await get("/api/v1/match.json");
const [newest] = await get("/api/v1/matches");
const { status, troubles } = await get("/healthz");
if (match.winner !== state.winner || newest.winner !== state.winner) throw new Error("another winner");
if (status !== "ok" && !troubles?.every((each) => each.check)) throw new Error("no reason");
console.log(state.players.map((player) => player.score).join(" "));
