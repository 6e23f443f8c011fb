/** An endpoint's page in a real browser: a language by keyboard, a call with and without script. */
import { describe, expect, test } from 'bun:test'
import { CHROMIUM, sharedSite } from './chromium.ts'
import { lookAt } from './looks.ts'
import { signUp, startTravel } from './traveller.ts'

const site = sharedSite()
const PEOPLE = '/docs/reference/listPeople'

describe.skipIf(!CHROMIUM)('in Chromium', () => {
  test('a language is chosen by keyboard, without script too, and kept for the next page', async () => {
    const bare = await site.open(PEOPLE, { javaScriptEnabled: false })
    const shown = () => bare.page.locator('.example:visible').getAttribute('class')
    expect(await shown()).toBe('example curl')
    await bare.page.focus('[name=language][value=curl]')
    await bare.page.keyboard.press('ArrowRight')
    expect(await shown()).toBe('example typescript')
    await bare.close()
    const { page, wrongs, close } = await site.open(PEOPLE)
    await page.check('[value=go]')
    await page.goto(`${site.server.appUrl}/docs/reference/getInvestor`)
    expect(await page.locator('.example:visible').getAttribute('class')).toBe('example go')
    expect(wrongs).toEqual([])
    await close()
  })

  test('from sign-up to an answer: the page stays, the key is chosen, each call is charged once', async () => {
    const person = await startTravel(site)
    const { page, wrongs, go, press, fill } = person
    await signUp(person, { name: 'Dora', email: 'dora@example.com' })
    await go(PEOPLE)
    await press('Create a key', 'link')
    await fill('Label', 'console')
    await press('Create key')
    await go(PEOPLE)
    await page.fill('#field-q', 'ada')
    await page.evaluate(() => document.body.setAttribute('data-stays', 'yes'))
    const send = page.locator('form.console button[type=submit]')
    for (const left of ['245', '240']) {
      await send.click()
      await page.getByText(`${left} credits are left.`).waitFor()
    }
    expect(await page.getAttribute('body', 'data-stays')).toBe('yes')
    // Wherever the page says a balance it is the one after the call.
    expect(await page.textContent('#call-price')).toContain('You have 240 credits.')
    expect(await page.textContent('.menu .number')).toBe('240 credits')
    expect(await page.locator('#call-answer pre').last().textContent()).toContain('"Ada"')
    await lookAt(page, 'an answer in the console')
    // A refused call is an answer too.
    await page.fill('#field-limit', 'many')
    await send.click()
    await page.locator('#call-answer').getByText('Nothing was charged.').waitFor()
    // What has a mistake is not sent: the field says it.
    await go('/docs/reference/search')
    let posts = 0
    page.on('request', (request) => {
      if (request.method() === 'POST') posts++
    })
    await send.click()
    await page.locator('#field-q-problem').waitFor()
    expect([posts, await page.evaluate(() => document.activeElement?.id)]).toEqual([0, 'field-q'])
    expect(wrongs).toEqual([])
    const cookies = await page.context().cookies()
    await person.close()

    const bare = await site.open('/docs', { javaScriptEnabled: false })
    await bare.page.context().addCookies(cookies)
    await bare.page.goto(`${site.server.appUrl}${PEOPLE}`)
    await bare.page.locator('form.console button[type=submit]').click()
    await bare.page.getByText('235 credits are left.').waitFor()
    // The page begins far above its answer, and scrolls to it once it is loaded.
    const answer = bare.page.locator('#answered')
    const isInWindow = async () => {
      const { y = -1 } = (await answer.boundingBox()) ?? {}
      return y > 0 && y < 720
    }
    while (!(await isInWindow())) await bare.page.waitForTimeout(50)
    await bare.page.reload()
    await bare.page.getByText('This was charged before; nothing more was.').waitFor()
    expect(bare.wrongs).toEqual([])
    await bare.close()
  })
})
