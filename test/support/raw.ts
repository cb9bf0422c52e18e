/**
 * Sends a request verbatim, where fetch() would normalise it, and returns the whole response. `host` is the header line
 * with the server's name; empty for none.
 */
export async function rawRequest(origin: string, request: string, host?: string): Promise<string> {
  const { hostname, port } = new URL(origin);
  const named = host ?? `Host: ${hostname}\r\n`;
  const { promise, resolve } = Promise.withResolvers<string>();
  let text = "";
  await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      open: (socket) => void socket.write(request.replace("\r\n", `\r\n${named}Connection: close\r\n`)),
      data: (_, data) => void (text += data.toString()),
      close: () => resolve(text),
    },
  });
  return promise;
}
