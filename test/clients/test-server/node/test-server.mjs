// Starts `chainkin test-server` for tests in Node, and asks its control.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/** The command, which CHAINKIN may name otherwise: a binary, say. */
const [file, ...before] = (process.env.CHAINKIN ?? 'npx chainkin').split(' ')

export async function startTestServer(...options) {
  const args = [...before, 'test-server', '--json', '--until-stdin-ends', ...options]
  const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const [line] = await once(createInterface(child.stdout), 'line')
  const { apiUrl, appUrl, controlUrl } = JSON.parse(line)

  async function ask(method, path, body) {
    const answer = await fetch(controlUrl + path, { method, body: body && JSON.stringify(body) })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path}: ${text}`)
    return text === '' ? undefined : JSON.parse(text)
  }

  return {
    apiUrl,
    appUrl,
    get: (path) => ask('GET', path),
    post: (path, body) => ask('POST', path, body),
    async stop() {
      child.stdin.end()
      await once(child, 'exit')
    },
  }
}
