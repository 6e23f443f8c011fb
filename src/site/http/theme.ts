/** The colours that a browser's user has chosen: a cookie that the server reads, so that a page has them from its first line on. */
import { cookieName, cookieValues, setCookie } from '../../people/users/cookies.ts'

export const THEMES = ['light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

const COOKIE = 'ck_theme'
const YEAR_SECONDS = 365 * 86_400

/** @returns undefined where the browser's or the system's own colours hold. */
export function themeOf(request: Request, appUrl: string): Theme | undefined {
  const sent = cookieValues(request, cookieName(COOKIE, appUrl))
  return THEMES.find((theme) => sent.includes(theme))
}

/** A value of `Set-Cookie`. @param theme undefined for the system's: the cookie goes */
export function themeCookie(theme: Theme | undefined, appUrl: string): string {
  return setCookie(COOKIE, theme ?? '', appUrl, theme ? YEAR_SECONDS : 0)
}
