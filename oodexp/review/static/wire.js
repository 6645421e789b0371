// What goes to the server and comes from it. The token stands behind # in the address: browsers send
// that part to nobody.
const address = new URLSearchParams(location.hash.slice(1));
const token = address.get("token") || "";

class Unsaid extends Error {}

async function ask(path, body) {
  const headers = { "X-Oodexp-Token": token };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const method = body === undefined ? "GET" : "POST";
  let response;
  try {
    response = await fetch(path, { method, headers, body: body === undefined ? body : JSON.stringify(body) });
  } catch {
    throw new Unsaid("The server does not answer. Has it been stopped? Nothing more is saved.");
  }
  if (response.ok) return response;
  let why = "";
  try {
    const told = (await response.json()).detail;
    why = typeof told === "string" ? told : "";
  } catch { /* no reason was sent */ }
  throw new Unsaid(why || `The server refused (${response.status}).`);
}

async function told(path, body) {
  return (await ask(path, body)).json();
}

// Pictures are fetched with the token and shown from memory: their addresses tell nothing.
const pictures = new Map();

function picture(pair) {
  if (!pictures.has(pair)) {
    const found = ask(`api/image/${pair}`).then((r) => r.blob()).then((blob) => URL.createObjectURL(blob));
    found.catch(() => pictures.delete(pair));
    pictures.set(pair, found);
    if (pictures.size > 24) {
      const [oldest, held] = pictures.entries().next().value;
      pictures.delete(oldest);
      held.then((url) => URL.revokeObjectURL(url), () => {});
    }
  }
  return pictures.get(pair);
}

function mark() {
  const random = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(random, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
