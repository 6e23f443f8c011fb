// Starts one test server for a whole run of vitest, and tells the tests where it is.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { TestProject } from 'vitest/node'

export default async function setup(project: TestProject) {
  const [file = '', ...before] = (process.env.CHAINKIN ?? 'npx chainkin').split(' ')
  const args = [...before, 'test-server', '--json', '--until-stdin-ends']
  const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const [line] = await once(createInterface(child.stdout), 'line')
  project.provide('chainkin', JSON.parse(line))
  return async () => {
    child.stdin.end()
    await once(child, 'exit')
  }
}

declare module 'vitest' {
  interface ProvidedContext {
    chainkin: { apiUrl: string; appUrl: string; controlUrl: string }
  }
}
