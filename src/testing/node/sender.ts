/**
 * The thread that sends commands. It isn't the test's own, which waits for it where a method of the kit returns no promise, and it has
 * a `fetch` that no test has replaced.
 */
import { type MessagePort, workerData } from 'node:worker_threads'
import type { Command, Numbered, Reply, SenderData } from './protocol.ts'

const { port, token, later, now, answered }: SenderData = workerData

async function send(command: Command): Promise<string> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}`, {
      method: 'POST',
      headers: { authorization: token },
      body: JSON.stringify(command),
    })
    return await response.text()
  } catch {
    const message = 'the process of the test directory has ended'
    const reply: Reply = { error: { name: 'Error', message, isTypeError: false } }
    return JSON.stringify(reply)
  }
}

function serve(commands: MessagePort, onReply: () => void) {
  commands.on('message', async ({ number, command }: Numbered) => {
    commands.postMessage({ number, reply: await send(command) })
    onReply()
  })
}

serve(later, () => {})
serve(now, () => {
  Atomics.add(answered, 0, 1)
  Atomics.notify(answered, 0)
})
