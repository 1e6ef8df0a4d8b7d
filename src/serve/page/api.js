// Questions to the server.  The token comes with the address, behind #, which no request carries.
const KEY = "croft-token";

export function keepToken() {
  const found = /^#token=([\x21-\x7e]+)$/.exec(location.hash);
  if (!found) return;
  sessionStorage.setItem(KEY, found[1]);
  history.replaceState(null, "", "/#try");
}

function head(more) {
  const token = sessionStorage.getItem(KEY);
  return token ? { ...more, Authorization: `Bearer ${token}` } : more;
}

async function read(response) {
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error?.message ?? `status ${response.status}`);
  return answer;
}

export async function get(path) {
  return read(await fetch(path, { headers: head({}) }));
}

export async function post(path, body, signal) {
  const headers = head({ "Content-Type": "application/json" });
  return read(await fetch(path, { method: "POST", headers, body: JSON.stringify(body), signal }));
}
