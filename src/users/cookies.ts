/** The application's two cookies: the session's, and the one that forms have before there is a session. */

/**
 * Over https a cookie is bound to this very host (`__Host-`); over plain http, which is for a loopback
 * address, browsers refuse that prefix.
 */
export interface Cookies {
  /** The value that the browser sent, or undefined. */
  session(request: Request): string | undefined
  form(request: Request): string | undefined
  /** Values of `Set-Cookie`. */
  setSession(token: string, lastsSeconds: number): string
  clearSession(): string
  setForm(token: string): string
}

const TOKEN = /^[A-Za-z0-9_-]{43}$/

export function createCookies(appUrl: string): Cookies {
  const secure = appUrl.startsWith('https:')
  const prefix = secure ? '__Host-' : ''
  const names = { session: `${prefix}ck_session`, form: `${prefix}ck_form` }
  const attributes = `Path=/; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`
  return {
    session: (request) => read(request, names.session),
    form: (request) => read(request, names.form),
    setSession: (token, lastsSeconds) =>
      `${names.session}=${token}; Max-Age=${lastsSeconds}; ${attributes}`,
    clearSession: () => `${names.session}=; Max-Age=0; ${attributes}`,
    setForm: (token) => `${names.form}=${token}; ${attributes}`,
  }
}

/** The cookie's value, if it looks like one of ours; of two with this name, neither counts. */
function read(request: Request, name: string): string | undefined {
  const pairs = (request.headers.get('cookie') ?? '').split(';').map((pair) => pair.trim())
  const values = pairs
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1))
  const [value] = values
  return values.length === 1 && value !== undefined && TOKEN.test(value) ? value : undefined
}
