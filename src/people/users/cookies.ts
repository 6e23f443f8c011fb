/**
 * The web application's cookies: the session's, one that binds CSRF tokens before there is a session,
 * one by which an account knows a browser, and one of somebody who is to show a second factor.
 */

const TOKEN = /^[A-Za-z0-9_-]{43}$/

export type Cookies = ReturnType<typeof createCookies>

/** Over https the names begin with `__Host-`, which binds a cookie to this host. Browsers refuse it over plain http. */
export function createCookies(appUrl: string) {
  const secure = appUrl.startsWith('https:')
  const prefix = secure ? '__Host-' : ''
  const names = {
    session: `${prefix}ck_session`,
    form: `${prefix}ck_form`,
    browser: `${prefix}ck_browser`,
    pending: `${prefix}ck_pending`,
  }
  const attributes = `Path=/; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`
  return {
    /** @returns the value that the browser sent, or undefined. */
    session: (request: Request) => read(request, names.session),
    form: (request: Request) => read(request, names.form),
    browser: (request: Request) => read(request, names.browser),
    pending: (request: Request) => read(request, names.pending),
    /** Each of the next returns a value of `Set-Cookie`. */
    setSession: (token: string, lastsSeconds: number) =>
      `${names.session}=${token}; Max-Age=${lastsSeconds}; ${attributes}`,
    clearSession: () => `${names.session}=; Max-Age=0; ${attributes}`,
    setBrowser: (token: string, lastsSeconds: number) =>
      `${names.browser}=${token}; Max-Age=${lastsSeconds}; ${attributes}`,
    setPending: (token: string, lastsSeconds: number) =>
      `${names.pending}=${token}; Max-Age=${lastsSeconds}; ${attributes}`,
    clearPending: () => `${names.pending}=; Max-Age=0; ${attributes}`,
    setForm: (token: string) => `${names.form}=${token}; ${attributes}`,
    clearForm: () => `${names.form}=; Max-Age=0; ${attributes}`,
  }
}

/** The cookie's value where it has a token's form. Two cookies of one name are both ignored. */
function read(request: Request, name: string): string | undefined {
  const [value = '', ...others] = cookieValues(request, name)
  return others.length === 0 && TOKEN.test(value) ? value : undefined
}

/** Values of the browser's cookies of this name. */
export function cookieValues(request: Request, name: string): string[] {
  const pairs = (request.headers.get('cookie') ?? '').split(';').map((pair) => pair.trim())
  return pairs.flatMap((pair) => (pair.startsWith(`${name}=`) ? [pair.slice(name.length + 1)] : []))
}
