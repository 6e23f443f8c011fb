/** No host of pictures can hurt or hang anything, whatever it does. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { BlockList } from 'node:net'
import {
  addressesOf,
  isPublic,
  PUBLIC_INTERNET,
  reachWith,
} from '../../../src/directory/pictures/addresses.ts'
import { fetchPicture } from '../../../src/directory/pictures/fetch.ts'
import { createResizer } from '../../../src/directory/pictures/resize.ts'
import { GIF, png, startHostileHost } from './hostile-host.ts'

let host: Awaited<ReturnType<typeof startHostileHost>>
const resizer = createResizer()
beforeAll(async () => {
  host = await startHostileHost()
})
afterAll(async () => {
  await resizer.close()
  await host.stop()
})

const NEW = { etag: null, lastModified: null }
const get = (path: string, limitMs = 5_000) =>
  fetchPicture({ url: host.url(path), ...NEW }, { reach: host.reach, limitMs })

test.each([
  ['/huge', 'more than 2097152 bytes'],
  ['/claims-huge', 'more than 2097152 bytes'],
  ['/hints', 'more than 2097152 bytes'],
  ['/slow', 'not whole in 0.2 s'],
  ['/silent', 'not whole in 0.2 s'],
  ['/loop', 'led on more than 3 times'],
  ['/to-private', '10.0.0.1 is not on the public internet'],
  ['/to-metadata', '169.254.169.254 is not on the public internet'],
  ['/to-own-name', 'inside.example is not on the public internet'],
  ['/to-file', 'no address with http or https'],
  ['/error', 'answered 500'],
  ['/other-protocol', 'broke off before it answered'],
])('%s ends with the reason, and its connection is closed', async (path, error) => {
  const isSlow = path === '/slow' || path === '/silent'
  expect(await get(path, isSlow ? 200 : 5_000)).toMatchObject({ end: 'failed', error })
  expect(await host.isLeft()).toBe(true)
})

test('an answer that breaks off is no picture', async () => {
  expect(await get('/broken-off')).toMatchObject({ end: 'failed' })
})

test('what is got is what was sent, by way of redirections; who has it already is told so', async () => {
  expect(await get('/twice')).toMatchObject({ end: 'got', bytes: png(200) })
  expect(await get('/gone')).toEqual({ end: 'gone', error: 'answered 410' })
  const tagged = await get('/tagged')
  expect(tagged).toMatchObject({ end: 'got', etag: '"1"' })
  const again = { url: host.url('/tagged'), etag: '"1"', lastModified: null }
  expect(await fetchPicture(again, { reach: host.reach })).toEqual({ end: 'same' })
  expect(host.requests.at(-1)?.headers).toMatchObject({
    host: new URL(host.url('/')).host,
    'user-agent': expect.stringMatching(/^Chainkin\//),
    'accept-encoding': 'identity',
  })
})

test('on the public internet a name that leads to this machine is not connected to', async () => {
  const before = host.requests.length
  // Any port, so that nothing but the address is in the way.
  const anywhere = { reach: { ...PUBLIC_INTERNET, isAllowed: isPublic } }
  for (const name of ['localhost', '127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '0x7f.1']) {
    const url = host.url('/good.png', name)
    for (const options of [anywhere, {}]) {
      const ended = await fetchPicture({ url, ...NEW }, options)
      expect(ended).toMatchObject({ end: 'failed', isSilent: false })
    }
  }
  // A name whose first address is public is refused for its second.
  const resolve = async () => ['93.184.215.14', '127.0.0.1']
  const both = { reach: { ...PUBLIC_INTERNET, resolve } }
  const url = 'http://pictures.example/good.png'
  expect(await fetchPicture({ url, ...NEW }, both)).toMatchObject({
    error: 'pictures.example is not on the public internet',
  })
  expect(host.requests.length).toBe(before)
})

test('ports 80 and 443 are asked, in redirections too; others of an operator’s own networks alone', async () => {
  const asked: number[] = []
  const resolve = async () => ['93.184.215.14']
  const isAllowed = (address: string, port: number) => {
    asked.push(port)
    return PUBLIC_INTERNET.isAllowed(address, port)
  }
  for (const port of [22, 25, 3306, 5432, 6379, 8080, 65535]) {
    const url = `http://pictures.example:${port}/a.png`
    expect(await fetchPicture({ url, ...NEW }, { reach: { resolve, isAllowed } })).toEqual({
      end: 'failed',
      error: `port ${port} of pictures.example is not asked: 80 and 443 are`,
      isSilent: false,
    })
  }
  expect(asked).toEqual([22, 25, 3306, 5432, 6379, 8080, 65535])
  for (const url of [
    'http://a.example',
    'https://a.example',
    'http://a.example:443',
    'https://a.example:80',
  ]) {
    expect(await addressesOf(new URL(url), { resolve, isAllowed })).toEqual(['93.184.215.14'])
  }
  // The host of these tests is at another port, and sends on to one more.
  const reach = {
    resolve: async (name: string) => [name === 'far.example' ? '93.184.215.14' : '127.0.0.1'],
    isAllowed: (address: string, port: number) =>
      address === '127.0.0.1' || PUBLIC_INTERNET.isAllowed(address, port),
  }
  expect(await fetchPicture({ url: host.url('/to-port'), ...NEW }, { reach })).toMatchObject({
    error: 'port 6379 of far.example is not asked: 80 and 443 are',
  })
  const own = new BlockList()
  own.addSubnet('10.0.0.0', 8)
  const { isAllowed: isAllowedToo } = reachWith(own)
  expect([isAllowedToo('10.1.2.3', 9000), isAllowedToo('93.184.215.14', 9000)]).toEqual([
    true,
    false,
  ])
})

test('a name is resolved once for each request, and what is connected to is what was checked', async () => {
  let asked = 0
  // The second answer would lead to another machine.
  const resolve = async () => [asked++ === 0 ? '127.0.0.1' : '10.0.0.1']
  const fetched = await fetchPicture(
    { url: host.url('/good.png'), ...NEW },
    { reach: { ...host.reach, resolve } },
  )
  expect(fetched).toMatchObject({ end: 'got' })
  expect(asked).toBe(1)
})

test.each([
  ...[
    '127.0.0.1',
    '10.1.2.3',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
  ],
  ...[
    '224.0.0.1',
    '255.255.255.255',
    '240.0.0.1',
    '192.0.2.1',
    '198.18.0.1',
    '::',
    '::1',
    'fe80::1',
  ],
  ...['fe80::1%eth0', 'fc00::1', 'ff02::1', '::ffff:10.0.0.1', '::ffff:8.8.8.8', '64:ff9b::7f00:1'],
  ...['2002:7f00:1::', '2001::1', '2001:db8::1', 'fec0::1', '::127.0.0.1', '', 'localhost'],
  // Outside of 2000::/3, some of it with an IPv4 address of a private network in its end.
  ...[
    '::7f00:1',
    '::a00:1',
    '::ffff:0:7f00:1',
    '200::1',
    '400::1',
    '1fff::1',
    '4000::1',
    'e000::1',
  ],
  ...[
    '64:ff9b:1::a00:1',
    '100::1',
    '5f00::1',
    'fd00::a00:1',
    'ff0e::1',
    '3fff::1',
    '2620:4f:8000::1',
  ],
])('%s is not of the public internet', (address) => {
  expect(isPublic(address)).toBe(false)
})

test('addresses of the public internet are', () => {
  for (const address of [
    '93.184.215.14',
    '1.1.1.1',
    '2606:4700::1111',
    '2a00:1450::1',
    '3ffe::1',
  ]) {
    expect(isPublic(address)).toBe(true)
  }
})

async function resized(path: string) {
  const fetched = await get(path)
  if (fetched.end !== 'got') throw new Error(`${path} was not got`)
  return resizer.resize(fetched.bytes)
}

test.each([
  ['/script.svg', 'its type is svg: PNG, JPEG, WebP, GIF and ICO are taken'],
  ['/page.png', 'no picture: PNG, JPEG, WebP, GIF and ICO are taken'],
  ['/empty', 'no picture: PNG, JPEG, WebP, GIF and ICO are taken'],
  ['/bomb.png', '60000 × 60000 pixels: 4096 a side are taken'],
  ['/truncated.png', 'not whole, or not as its type demands'],
])('%s is refused, and the next picture is made', async (path, refused) => {
  expect(await resized(path)).toEqual({ refused })
  expect(await resized('/good.gif')).toMatchObject({ bytes: expect.anything() })
})

test('a picture that takes too long ends, and the next one too', async () => {
  const hurried = createResizer({ limitMs: 1 })
  for (const bytes of [png(200), new Uint8Array(GIF)]) {
    expect(await hurried.resize(bytes)).toEqual({ refused: 'not decoded in 0.001 s' })
  }
  await hurried.close()
})

test('what is kept is a small WebP, whatever its host called it', async () => {
  for (const path of ['/good.png', '/good.gif']) {
    const made = await resized(path)
    if ('refused' in made) throw new Error(made.refused)
    const text = Buffer.from(made.bytes).toString('latin1')
    expect([text.slice(0, 4), text.slice(8, 12)]).toEqual(['RIFF', 'WEBP'])
    expect(made.bytes.length).toBeLessThan(2_000)
  }
})
