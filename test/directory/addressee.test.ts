/** Profiles and domains of addresses, in the forms in which people paste them. */
import { describe, expect, test } from 'bun:test'
import { addresseeOf } from '../../src/directory/addressee.ts'

/** `network: handle`, or `host` with its domain behind it where that is another; `-` for none. */
function written(text: string): string {
  const addressee = addresseeOf(text)
  if (addressee === null) return '-'
  if (addressee.kind === 'profile') return `${addressee.network}: ${addressee.handle}`
  const { host, domain } = addressee
  return host === domain ? host : `${host} of ${domain}`
}

/** Addresses by what they name. */
const NAMED: Record<string, readonly string[]> = {
  'x: hal_finwick': [
    '@hal_finwick',
    'x.com/hal_finwick',
    'https://x.com/@hal_finwick/',
    'https://x.com//hal_finwick',
    'https://www.twitter.com/hal_finwick?lang=en',
    'https://mobile.twitter.com/hal_finwick',
    'HTTPS://M.TWITTER.COM/hal_finwick#',
    'https://twitter.com/#!/hal_finwick',
    'https://twitter.com/intent/user?screen_name=hal_finwick',
    'https://x.com/intent/follow?ref=a&screen_name=@hal_finwick&s=20',
    'x.com/hal_finwick/status/1',
    'https://x.com/hal_finwick/status/1744445039831564784/photo/1?s=20&t=abc',
    'https://x.com/hal_finwick/with_replies',
    '<https://x.com/hal_finwick?s=20>',
    '(https://x.com/hal_finwick)',
    '"x.com/hal_finwick",',
    ' https://x.com/hal_finwick. ',
    'https://https://x.com/hal_finwick',
    'hhttps://x.com/hal_finwick',
    'https//x.com/hal_finwick',
    '//x.com/hal_finwick',
    'https://.x.com/hal_finwick',
    'https://x.com:443/hal_finwick',
  ],
  'x: fifteen_letters': ['https://x.com/fifteen_letters/media', '@fifteen_letters'],
  'telegram: quenlight_hq': [
    't.me/quenlight_hq',
    'https://telegram.me/@quenlight_hq/',
    'https://telegram.dog/quenlight_hq?start=1',
    'tg://resolve?domain=quenlight_hq',
    'tg://resolve?post=1&domain=quenlight_hq&x=1',
  ],
  'telegram channel: quenlight_hq': [
    'https://t.me/s/quenlight_hq',
    't.me/s/quenlight_hq/12?before=3',
    'https://t.me/quenlight_hq/123',
    'https://t.me/quenlight_hq/123/456?single',
  ],
  'linkedin person: hal-finwick': [
    'https://www.linkedin.com/in/hal-finwick',
    'linkedin.com/in/hal-finwick/?trk=x',
    'https://de.linkedin.com/in/hal-finwick/en',
    'https://m.linkedin.com/mwlite/in/hal-finwick#about',
    'https://www.linkedin.com/comm/in//@hal-finwick',
    'https://www.linkedin.com/pub/hal-finwick/1/2a/3b4',
  ],
  'linkedin person: bücher': ['https://www.linkedin.com/in/b%C3%BCcher', 'linkedin.com/in/bücher'],
  'linkedin person: %E0': ['linkedin.com/in/%E0'],
  'linkedin person: 4711': ['https://www.linkedin.com/profile/view?trk=nav&id=4711'],
  'linkedin person: ACwAAA': ['https://www.linkedin.com/sales/lead/ACwAAA,NAME_SEARCH,abcd'],
  'linkedin company: quenlight': [
    'https://www.linkedin.com/company/quenlight/about/',
    'ch.linkedin.com/school/quenlight',
    'https://www.linkedin.com/showcase/quenlight?x=1',
  ],
  'discord: quenlight': [
    'https://discord.gg/quenlight',
    'discord.com/invite/quenlight?event=1',
    'https://discordapp.com/servers/quenlight',
  ],
  'discord: 5976': ['https://discord.com/channels/5976/5977'],
  'discord: support': ['https://discord.com/invite/support'],
  'github: quenlight': [
    'https://github.com/quenlight',
    'github.com/quenlight/app.git',
    'https://github.com/orgs/quenlight/repositories',
    'https://gist.github.com/quenlight/1a2b',
  ],

  'x.com': [
    'x.com',
    'https://x.com/',
    'https://www.x.com/home',
    'https://x.com/i/user/12',
    'https://x.com/HOME/status/1',
    'https://x.com/search?q=uniswap',
    'https://x.com/hashtag/defi',
    'https://x.com/intent/post?text=uniswap',
    'https://x.com/sixteen_letters_',
    'https://x.com/hal_finwick/nothing',
  ],
  'help.x.com of x.com': ['https://help.x.com/forms'],
  't.me': [
    'https://t.me/joinchat/AAAAAE',
    't.me/+AAAAAE',
    't.me/share?url=x',
    't.me/joinchat',
    't.me/abc',
  ],
  'linkedin.com': [
    'https://www.linkedin.com/feed/',
    'https://www.linkedin.com/in/',
    'https://www.linkedin.com/in/me/',
    'https://www.linkedin.com/in/#ada',
    'https://www.linkedin.com/in/%20?trk=x',
    'https://www.linkedin.com/pub/dir/Hal/Finwick',
    'https://www.linkedin.com/company/',
    'https://www.linkedin.com/jobs/view/1',
  ],
  'discord.com': [
    'https://discord.com/channels/@me',
    'https://discord.com/invite/?x=1',
    'https://discord.com/app',
  ],
  'ptb.discord.com of discord.com': ['https://ptb.discord.com/login'],
  'discord.gg': ['https://discord.gg/'],
  'github.com': ['https://github.com', 'https://github.com/features/actions'],
  'notx.com': ['notx.com/hal_finwick'],
  'linkedin.com.acme.org of acme.org': ['https://linkedin.com.acme.org/in/ada'],

  'quenlight.example': [
    'quenlight.example',
    '#quenlight.example',
    '@quenlight.example',
    '<https://quenlight.example>',
    'https://www.quenlight.example/a/b?utm_source=x#c',
    'Quenlight.example:8080/',
    'quenlight.example.',
    'ftp://quenlight.example',
  ],
  'docs.acme.org of acme.org': ['https://docs.acme.org/intro?ref=1', 'docs.acme.org'],
  'app.acme.co.uk of acme.co.uk': ['app.acme.co.uk'],
  // Sites of many, whose parts belong to one company each.
  'acme.github.io': ['https://acme.github.io/app'],
  'a.acme.vercel.app of acme.vercel.app': ['https://a.acme.vercel.app'],
  'eth.limo': ['eth.limo'],
  'xn--mnchen-3ya.example': ['münchen.example', 'https://MÜNCHEN.example/', 'münchen。example'],
  'acme_one.acme.org of acme.org': ['acme_one.acme.org'],
  // Names, which search compares as they are given.
  'yearn.finance': ['yearn.finance'],
  'pump.fun': ['Pump.fun'],
  'node.js': ['Node.js'],

  '-': [
    '',
    ' ',
    'acme',
    'acme labs',
    'St. Gallen',
    'J.P.',
    'J.P.M.',
    'v1.2.3',
    '3.14',
    'Web3.0',
    'Yahoo!',
    '#1',
    '#defi',
    '@sixteen_letters_',
    '@a-b',
    '@ ada',
    'USD//Coin',
    'Art/Peace',
    '/send',
    'ETH/BNT',
    'hello@acme.org',
    'mailto:hello@acme.org',
    'https://user:secret@acme.org/',
    'https://x.com/ada and more',
    'https://',
    'https://acme',
    'https://.',
    '127.0.0.1',
    'http://[::1]/',
    'a..b.com',
    `${'a'.repeat(64)}.com`,
    'acme.123',
  ],
}

describe('an address names', () => {
  for (const [name, addresses] of Object.entries(NAMED))
    test.each(addresses.map((address) => [address]))(`${name}: %s`, (address) => {
      expect(written(address)).toBe(name)
    })
})
