/** The service behind its two listeners. */
import type { ApiFetch } from '../api/app.ts'
import { addressOf, type Config } from '../config.ts'
import { errorCode } from '../database/client.ts'
import { type Listener, type ListenOptions, listen } from '../runtime.ts'
import type { Service } from './service.ts'

/** An export sends nothing while its account is over its rate, for a minute at most. */
const APP_IDLE_SECONDS = 90

/** The address can't be listened on. The message says why, and which variable sets another. */
export class CannotListen extends Error {
  override name = 'CannotListen'
}

export interface Server {
  /** Where the API and the application are reached, without a trailing slash. */
  apiUrl: string
  appUrl: string
  /** The functions that answer behind the listeners. */
  hosts: Hosts
  /** Takes no more connections and lets requests in hand finish; `atOnce` cuts them off. */
  stop(atOnce?: boolean): Promise<void>
}

type Hosts = Awaited<ReturnType<Service['hosts']>>
type Addresses = Pick<Config, 'host' | 'port' | 'appPort' | 'baseUrl' | 'appUrl'>

/**
 * Starts both listeners, then builds what answers: with port 0, only a listener knows its address. Requests
 * that come earlier wait.
 * @throws CannotListen
 */
export async function startServer(
  { host, port, appPort, baseUrl, appUrl: publicAppUrl }: Addresses,
  service: Pick<Service, 'hosts'>,
): Promise<Server> {
  const { promise: hosts, resolve } = Promise.withResolvers<Hosts>()
  let api: ApiFetch | undefined
  const apiListener = listenOn('PORT', host, port, (request) =>
    api ? api(request) : hosts.then((ready) => ready.api(request)),
  )
  const listeners = [apiListener]
  const stop = async (atOnce?: boolean) => {
    await Promise.all(listeners.map((listener) => listener.stop(atOnce)))
  }
  try {
    const webFetch: ListenOptions['fetch'] = (request) => hosts.then(({ web }) => web(request))
    const appListener = listenOn('APP_PORT', host, appPort, webFetch, APP_IDLE_SECONDS)
    listeners.push(appListener)
    const apiUrl = baseUrl ?? addressOf(host, apiListener.port)
    const appUrl = publicAppUrl ?? addressOf(host, appListener.port)
    const ready = await service.hosts(apiUrl, appUrl)
    api = ready.api
    resolve(ready)
    return { apiUrl, appUrl, hosts: ready, stop }
  } catch (error) {
    await stop(true)
    throw error
  }
}

function listenOn(
  variable: string,
  host: string,
  port: number,
  fetch: ListenOptions['fetch'],
  idleSeconds?: number,
): Listener {
  try {
    return listen({ host, port, fetch, ...(idleSeconds !== undefined && { idleSeconds }) })
  } catch (error) {
    const code = errorCode(error)
    const why = code === 'EADDRINUSE' ? 'the port is taken' : (code ?? String(error))
    const advice = `set HOST or ${variable} to another`
    throw new CannotListen(`can't listen on ${host}:${port} (${why}): ${advice}`)
  }
}
