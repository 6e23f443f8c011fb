/** A test server: a test directory behind its listeners, and the control, which listens on this machine alone. */
import { CannotListen, errorCode, listen } from '../../embed-testing.ts'
import { openTestDirectory } from '../directory.ts'
import type { StartOptions } from '../test-directory.ts'
import { createControl } from './app.ts'

const HOST = '127.0.0.1'

export interface TestServerOptions extends Omit<StartOptions, 'listen'> {
  /** 0 takes a free one. */
  controlPort: number
}

export type TestServer = Awaited<ReturnType<typeof startTestServer>>

/** @throws CannotListen, ConfigError, TypeError naming a wrong option */
export async function startTestServer({ controlPort, ...options }: TestServerOptions) {
  const { directory } = await openTestDirectory(options, { isReusable: true })
  const { url: apiUrl, appUrl } = directory
  try {
    const control = createControl(directory, () => urls)
    const listener = listenOnLoopback(controlPort, control.fetch)
    const urls = { apiUrl, appUrl, controlUrl: `http://${HOST}:${listener.port}` }
    const stop = async () => {
      await listener.stop(true)
      await directory.stop()
    }
    return { ...urls, stop }
  } catch (error) {
    await directory.stop()
    throw error
  }
}

function listenOnLoopback(port: number, fetch: (request: Request) => Promise<Response>) {
  try {
    return listen({ host: HOST, port, fetch })
  } catch (error) {
    const why = errorCode(error) === 'EADDRINUSE' ? 'the port is taken' : String(error)
    throw new CannotListen(`can't listen on ${HOST}:${port} (${why}): give another --control-port`)
  }
}
