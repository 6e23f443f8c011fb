/** Clients that send a GET again by themselves where a kept connection breaks: what `/docs/retries` says of them, with the lines that it shows. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startDirectory } from '../../src/testing/start.ts'
import { installed } from '../helpers/proxies.ts'
import { shared, sharedDirectory } from '../helpers/shared.ts'

const run = promisify(execFile)
const folder = sharedDirectory()
const dir = shared(
  () => startDirectory(),
  (running) => running.stop(),
)

/** Lines of the page by language. */
let lines: Record<string, string> = {}

/** Hands bytes to the API, and breaks the connection of the first billed call in place of its answer. */
let isArmed = false
const relay = createServer((client: Socket) => {
  const api = connect(Number(new URL(dir.url).port), '127.0.0.1')
  let isBilled = false
  client.on('data', (bytes) => {
    isBilled = bytes.includes('/v1/people')
    api.write(bytes)
  })
  api.on('data', (bytes) => {
    if (isBilled && isArmed) {
      isArmed = false
      client.destroy()
    } else client.write(bytes)
  })
  for (const [socket, other] of [
    [client, api],
    [api, client],
  ] as const) {
    socket.on('error', () => {}).on('close', () => other.destroy())
  }
})

beforeAll(async () => {
  const page = await (await fetch(`${dir.appUrl}/docs/retries.md`)).text()
  const blocks = page.slice(page.indexOf('by themselves')).matchAll(/```(\w+)\n(.*)\n```/g)
  lines = Object.fromEntries([...blocks].map(([, language = '', line = '']) => [language, line]))
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve))
})
afterAll(() => relay.close())

interface Client {
  file: string
  run: readonly [program: string, ...args: string[]]
  /** Whether it sends a GET again by itself. */
  resends: boolean
  /** Two free calls on one connection, then a billed one to which `line` gives a key. */
  program(line: string): string
}

const CLIENTS: Record<string, Client> = {
  go: {
    file: 'main.go',
    run: ['go', 'run'],
    resends: true,
    program: (line) => `package main
import (
	"crypto/rand"
	"io"
	"net/http"
	"os"
)
var _ = rand.Text
func main() {
	for _, path := range []string{"/v1/me", "/v1/me", "/v1/people"} {
		request, _ := http.NewRequest("GET", os.Getenv("API_URL")+path, nil)
		request.Header.Set("Authorization", "Bearer "+os.Getenv("API_KEY"))
		${line}
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			os.Exit(1)
		}
		io.ReadAll(answer.Body)
		answer.Body.Close()
	}
}`,
  },
  python: {
    file: 'main.py',
    run: ['python3'],
    resends: false,
    program: (line) => `import http.client, os, uuid
from urllib.parse import urlsplit
connection = http.client.HTTPConnection(urlsplit(os.environ["API_URL"]).netloc)
for path in ["/v1/me", "/v1/me", "/v1/people"]:
    headers = {"Authorization": f"Bearer {os.environ['API_KEY']}"}
    ${line}
    for attempt in range(2):
        try:
            connection.request("GET", path, headers=headers)
            connection.getresponse().read()
            break
        except http.client.RemoteDisconnected:
            connection.close()`,
  },
  java: {
    file: 'Main.java',
    run: ['java'],
    resends: true,
    program: (line) => `import java.net.URI;
import java.net.http.*;
import java.util.UUID;
class Main {
  public static void main(String[] args) throws Exception {
    var client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    for (var path : new String[] {"/v1/me", "/v1/me", "/v1/people"}) {
      var request = HttpRequest.newBuilder(URI.create(System.getenv("API_URL") + path))
        .header("Authorization", "Bearer " + System.getenv("API_KEY"));
      ${line}
      client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }
  }
}`,
  },
  ts: {
    file: 'main.ts',
    run: [process.execPath],
    resends: true,
    program: (line) => `for (const path of ['/v1/me', '/v1/me', '/v1/people']) {
  const headers = new Headers({ Authorization: 'Bearer ' + process.env.API_KEY })
  ${line}
  await (await fetch(process.env.API_URL + path, { headers })).text()
}`,
  },
}

/** Runs a program whose billed call loses its answer. @returns what that took of its account */
async function spentBy({ file, run: [program, ...args], program: text }: Client, line: string) {
  const { key, balance } = await dir.account({ credits: 100 })
  const path = join(folder.path, file)
  await writeFile(path, text(line))
  isArmed = true
  const API_URL = `http://127.0.0.1:${(relay.address() as AddressInfo).port}`
  await run(program, [...args, path], { env: { ...process.env, API_URL, API_KEY: key } })
  expect(isArmed).toBe(false)
  return 100 - (await balance())
}

describe('a call whose connection breaks before its answer', () => {
  for (const [language, client] of Object.entries(CLIENTS)) {
    const [program] = client.run
    test.skipIf(program !== process.execPath && !installed(program))(
      `is charged once, however it is sent again, with the line for ${language}`,
      async () => {
        expect(await spentBy(client, lines[language] ?? '')).toBe(5)
        if (client.resends) expect(await spentBy(client, '')).toBe(10)
      },
    )
  }
})
