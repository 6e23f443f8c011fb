/** The service behind its two listeners. */
import type { ApiFetch } from '../../api/app.ts'
import { addressOf, type Config } from '../../config.ts'
import { errorCode } from '../../database/client.ts'
import { type ListenOptions, listen } from '../../runtime.ts'
import { CannotListen } from '../../start-errors.ts'
import type { Service } from './service.ts'

export { CannotListen }

/** Idle time of the application's connections: an export may wait a minute for its account's rate. */
const APP_IDLE_SECONDS = 90

export type Server = Awaited<ReturnType<typeof startServer>>
type Hosts = Awaited<ReturnType<Service['hosts']>>
type Addresses = Pick<Config, 'host' | 'port' | 'appPort' | 'baseUrl' | 'appUrl'> & {
  /** True where other workers listen at the same ports. */
  isShared?: boolean
}

/**
 * Starts both listeners, then builds what answers: with port 0, only a listener knows its address. Requests
 * that come earlier wait.
 * @returns where the API and the application are reached, without a trailing slash, the port of the API's listener, and
 *   the functions that answer.
 * @throws CannotListen
 */
export async function startServer(
  { host, port, appPort, isShared = false, baseUrl, appUrl: publicAppUrl }: Addresses,
  service: Pick<Service, 'hosts'>,
) {
  const { promise: hosts, resolve } = Promise.withResolvers<Hosts>()
  let api: ApiFetch | undefined
  const apiListener = listenOn('PORT', {
    host,
    port,
    isShared,
    fetch: (request) => (api ? api(request) : hosts.then((ready) => ready.api(request))),
  })
  const listeners = [apiListener]
  /** Takes no more connections and lets requests in hand finish; `atOnce` cuts them off. */
  const stop = async (atOnce?: boolean) => {
    await Promise.all(listeners.map((listener) => listener.stop(atOnce)))
  }
  try {
    const appListener = listenOn('APP_PORT', {
      host,
      port: appPort,
      isShared,
      idleSeconds: APP_IDLE_SECONDS,
      fetch: (request) => hosts.then(({ web }) => web(request)),
    })
    listeners.push(appListener)
    const apiUrl = baseUrl ?? addressOf(host, apiListener.port)
    const appUrl = publicAppUrl ?? addressOf(host, appListener.port)
    const ready = await service.hosts(apiUrl, appUrl)
    api = ready.api
    resolve(ready)
    return { apiUrl, appUrl, apiPort: apiListener.port, hosts: ready, stop }
  } catch (error) {
    await stop(true)
    throw error
  }
}

/** Listens at the port that `variable` sets. @throws CannotListen */
export function listenOn(variable: string, options: ListenOptions) {
  try {
    return listen(options)
  } catch (error) {
    throw cannotListen(variable, options, error)
  }
}

/** The error of a listener at the port that `variable` sets. */
export function cannotListen(
  variable: string,
  { host, port }: Pick<ListenOptions, 'host' | 'port'>,
  error: unknown,
): CannotListen {
  const code = errorCode(error)
  const why = code === 'EADDRINUSE' ? 'the port is taken' : (code ?? String(error))
  return new CannotListen(
    `can't listen on ${host}:${port} (${why}): set HOST or ${variable} to another`,
  )
}
