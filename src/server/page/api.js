// Requests to the server of the page.

/** An error reported by the server, or a failure to reach it. */
export class ServerError extends Error {}

// Name under which the server's token is stored until the browser closes. The token is never part of a link.
const kToken = "attend token";
let wantToken = () => {};

/** Calls `listener()` when the server rejects a request without its token. */
export const onTokenWanted = (listener) => { wantToken = listener; };
export const setToken = (token) => sessionStorage.setItem(kToken, token);

function withToken(options = {}) {
  const token = sessionStorage.getItem(kToken);
  return token ? {...options, headers: {...options.headers, Authorization: `Bearer ${token}`}} : options;
}

async function check(response) {
  if (response.ok) return response;
  if (response.status === 401) wantToken();
  const body = await response.json().catch(() => null);
  throw new ServerError(body?.error?.message ?? `the server answered ${response.status}`);
}

async function reach(path, options) {
  try {
    return await check(await fetch(path, withToken(options)));
  } catch (error) {
    if (error.name === "AbortError" || error instanceof ServerError) throw error;
    throw new ServerError("the server cannot be reached");
  }
}

export const getJson = async (path) => (await reach(path)).json();

const kJson = {"Content-Type": "application/json"};

/** POST /v1/nearest: {nearest: [...]}, or {done, total} while the index is being built. */
export const nearest = async (body) => (
  await reach("/v1/nearest", {method: "POST", headers: kJson, body: JSON.stringify(body)})).json();

/** POST /v1/explain: the source words behind one piece of a translation. */
export const explain = async (body) => (
  await reach("/v1/explain", {method: "POST", headers: kJson, body: JSON.stringify(body)})).json();

/** The event and data of each message of a text/event-stream. */
async function* eventsOf(response) {
  let text = "";
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    text = (text + chunk).replace(/\r\n/g, "\n");
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      yield eventOf(text.slice(0, end));
      text = text.slice(end + 2);
    }
  }
}

function eventOf(message) {
  const lines = (field) => message.split("\n").filter((line) => line.startsWith(`${field}:`))
    .map((line) => line.slice(field.length + 1).trim());
  return {event: lines("event")[0], data: JSON.parse(lines("data").join("\n") || "null")};
}

/** POST /v1/translate. If `onStep` is given, the answer is streamed and `onStep` receives the best text after each step;
    `onSentence` receives each sentence of a document. */
export async function translate(request, {signal, onStep, onSentence}) {
  const streams = Boolean(onStep || onSentence);
  const body = JSON.stringify(streams ? {...request, stream: true} : request);
  const response = await reach("/v1/translate", {method: "POST", headers: kJson, body, signal});
  if (!streams) return response.json();
  for await (const {event, data} of eventsOf(response)) {
    if (event === "step") onStep(data.text);
    if (event === "sentence") onSentence(data);
    if (event === "error") throw new ServerError(data?.error?.message ?? "the search failed");
    if (event === "done") return data;
  }
  throw new ServerError("the server stopped before the search ended");
}
