/** The web application's two cookies: the session's, and one that binds CSRF tokens before there is a session. */

/** Over https the names begin with `__Host-`, which binds a cookie to this host. Browsers refuse it over plain http. */
export interface Cookies {
  /** @returns the value that the browser sent, or undefined. */
  session(request: Request): string | undefined
  form(request: Request): string | undefined
  /** Each of the next returns a value of `Set-Cookie`. */
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

/** The cookie's value where it has a token's form. Two cookies of one name are both ignored. */
function read(request: Request, name: string): string | undefined {
  const pairs = (request.headers.get('cookie') ?? '').split(';').map((pair) => pair.trim())
  const values = pairs
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1))
  const [value] = values
  return values.length === 1 && value !== undefined && TOKEN.test(value) ? value : undefined
}
