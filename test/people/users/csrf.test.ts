/** Forms of ours, and of others. */
import { describe, expect, test } from 'bun:test'
import { createCookies, createCsrf } from '../../../src/people/users/cookies.ts'
import { newToken } from '../../../src/people/users/tokens.ts'
import { APP_URL, requestWith, sentBack } from './fixtures.ts'

const csrf = createCsrf(createCookies(APP_URL), APP_URL)
const sessionCookie = () => `ck_session=${newToken().token}`
const formWith = (token: string) => new URLSearchParams({ csrf: token, other: 'x' })

test('a form carries a token of its session, and is taken with it alone', () => {
  const [mine, others] = [sessionCookie(), sessionCookie()]
  const { token, cookie } = csrf.token(requestWith(mine))
  expect(cookie).toBeUndefined()
  expect(csrf.check(requestWith(mine), formWith(token))).toBe(true)
  expect(csrf.check(requestWith(others), formWith(token))).toBe(false)
  expect(csrf.check(requestWith(), formWith(token))).toBe(false)
})

test('before there is a session, a cookie of its own stands for it, and only the token made with it fits', () => {
  const first = csrf.token(requestWith())
  const cookie = sentBack([first.cookie ?? ''])
  expect(first.cookie).toMatch(/^ck_form=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/)
  expect(csrf.check(requestWith(cookie), formWith(first.token))).toBe(true)
  const again = csrf.token(requestWith(cookie))
  expect(again.cookie).toBeUndefined()
  expect(csrf.check(requestWith(cookie), formWith(again.token))).toBe(true)
  expect(csrf.check(requestWith(cookie), formWith(csrf.token(requestWith()).token))).toBe(false)
})

test('the token is another text on each page, so that compressing it tells nothing', () => {
  const cookie = sessionCookie()
  const tokens = new Set(Array.from({ length: 20 }, () => csrf.token(requestWith(cookie)).token))
  expect(tokens.size).toBe(20)
})

test.each(['', 'x', 'A'.repeat(86), 'A'.repeat(10_000)])('a token like %p is refused', (token) => {
  expect(csrf.check(requestWith(sessionCookie()), formWith(token))).toBe(false)
})

test('a token given twice, or in none of the fields, is refused', () => {
  const cookie = sessionCookie()
  const { token } = csrf.token(requestWith(cookie))
  expect(csrf.check(requestWith(cookie), new URLSearchParams(`csrf=${token}&csrf=${token}`))).toBe(
    false,
  )
  expect(csrf.check(requestWith(cookie), new URLSearchParams({ other: token }))).toBe(false)
})

describe('where a post comes from', () => {
  test.each([
    [{ 'sec-fetch-site': 'same-origin' }, true],
    [{ 'sec-fetch-site': 'none' }, true],
    [{ 'sec-fetch-site': 'same-origin', origin: 'null' }, true],
    [{ 'sec-fetch-site': 'cross-site' }, false],
    [{ 'sec-fetch-site': 'same-site', origin: APP_URL }, false],
    [{ origin: APP_URL }, true],
    [{ origin: 'http://localhost:3001', host: 'localhost:3001' }, true],
    [{ origin: 'https://evil.example' }, false],
    [{ origin: 'null' }, false],
    [{}, true],
  ])('with the right token and %p it is taken: %p', (headers, taken) => {
    const cookie = sessionCookie()
    const { token } = csrf.token(requestWith(cookie))
    expect(csrf.check(requestWith(cookie, headers), formWith(token))).toBe(taken)
  })
})
