/**
 * The words that the demo directory is made of. Names are put together from halves that nobody
 * bears, so that no record can be taken for a real person or company.
 */

const words = (text: string) => text.trim().split(/\s+/)
const list = (text: string) => text.trim().split(/,\s+/)
const phrases = (text: string) => text.trim().split(/\s*\n\s*/)

/** First names: a beginning and an ending. 60 × 24. */
export const FIRST_BEGINNINGS = words(`
  Al Am Ar Bel Ber Bri Cal Car Cas Cor Dal Dar Del Dor El Em Er Fab Fen Fer Gal Gar Gwen Hal Har
  Hel Il Is Jas Jor Kal Kas Kel Lan Lor Lu Mal Mar Mel Mir Nad Nel Nor Ol Or Per Quil Ral Ren Ros
  Sal Ser Sil Tal Tam Tor Val Ver Wen Zan`)
export const FIRST_ENDINGS = words(`
  a ina ira elle ette enna ora isse ian is o us ander wyn mund rick win dan ton bert io en ius olf`)

/** Last names: two halves. 72 × 48. */
export const LAST_BEGINNINGS = words(`
  Acorn Apple Barley Basil Beetle Birch Biscuit Bobbin Bramble Brindle Bumble Butter Button Cackle
  Candle Chestnut Clover Cobble Copper Crumble Custard Dandelion Dapple Fennel Fiddle Flannel
  Flicker Fumble Ginger Gobble Gravel Hazel Honey Jelly Jumble Kettle Lantern Lavender Marble
  Marzipan Mitten Muddle Mulberry Mumble Nettle Noodle Nutmeg Otter Paddle Parsnip Pebble Pepper
  Pickle Pigeon Pocket Porridge Puddle Pumpkin Quibble Ramble Rumple Saddle Snuggle Sparrow Tangle
  Teapot Thistle Toffee Treacle Twinkle Whistle Wobble`)
export const LAST_ENDINGS = words(`
  beck bell berry bottom bourne brook burrow by cliff combe croft dale den feather field finch ford
  garth gate grove ham hatch haven hill hollow hope hurst kins ley low mere moor more quill ridge
  shaw sley snap stead stone thorpe ton wade well whistle wick worth`)

/** Names without a Latin letter have no slug (contract: "the minority of records without one"). */
export const OTHER_SCRIPTS = list(`
  Бублик Самоваров, Ватрушка Калачова, Пирожок Черничный, Одуванчик Лопухова,
  Κουλουράκι Φανταστικού, Μυρτώ Παραμυθένια, Φασόλης Ροβίθης,
  太郎 空想, 花子 架空, 夢子 絵本, 豆腐 白玉, 무지개 상상, 구름 별사탕,
  زعتر خيالي,
  فستق البرتقالي,
  ચમચી કલ્પિત`).map((name) => name.split(' '))

/** Company names: two halves and a word of the company's type. 64 × 40. */
export const COMPANY_BEGINNINGS = words(`
  Aber Ambi Anvil Astro Bali Blim Bori Brim Caldo Chor Cinder Corvi Dappl Dorri Ebbo Elder Ember
  Fabl Feld Fidd Flum Gala Glim Grum Hexa Hollo Ibex Indo Jova Junip Kelpo Kibb Lumo Lyra Mando
  Mirr Moss Nimb Nova Oakum Obel Orri Pando Plum Pomel Quill Quor Rafto Rumba Saff Skel Sorr Tamb
  Tessel Thrum Umbra Urch Vanto Velli Vorpl Wend Wimbl Yarro Zephi`)
export const COMPANY_ENDINGS = words(`
  adex ami anto ara aru atic ax bex bido by chor dax della dex do dusk ember era eron etta fig fin
  gate glow iko ilo ion ista ivo ix lo mint mora nax ora oro stead ula una wick`)

export const SECTORS = words(`
  DeFi Infrastructure Gaming NFT Payments Stablecoins Lending Derivatives Wallets Bridges Oracles
  Privacy Identity DAO DePIN AI RWA Staking Analytics Social Storage Layer-1 Layer-2 Security`)
export const CHAINS = words(`
  Ethereum Solana Base Arbitrum Optimism Polygon Avalanche Sui Aptos Cosmos Starknet zkSync`)
export const SIZES = ['1-10', '11-50', '51-200', '201-500', '501-1000', '1000+'] as const
export const FUND_TYPES = ['venture', 'accelerator', 'hedge', 'corporate', 'family-office'] as const

/** Descriptions by company type, which follow "is". */
export const DOES: Readonly<Record<string, string[]>> = {
  project: phrases(`
    a lending market in which deposits earn from the first block
    a bridge that moves stablecoins with one signature
    a rollup for games that need answers within a tenth of a second
    an oracle network that signs prices of things nobody trades at night
    a wallet that recovers from three friends and a postcard
    a marketplace for tickets that can't be scalped
    a storage network that pays for attics
    a payment channel for shops without a till
    an identity protocol that proves an age and tells nothing else
    a staking service that publishes every penalty
    a derivatives exchange for weather
    a DAO toolkit with a quorum that people reach
    a data market for sensors on rooftops
    a stablecoin backed by short bonds and shown to be, daily`),
  investor: phrases(`
    an early-stage fund that writes the first cheque and answers the phone
    a thesis-driven fund for infrastructure that nobody sees
    a venture fund run by former protocol engineers
    a liquid fund with a patient view of small networks
    a studio that builds with founders for their first year
    a family office that discovered governance and stayed`),
  platform: phrases(`
    an exchange with deep books in the small pairs
    a decentralised exchange that routes through nineteen pools
    a trading venue with a public engine and published latencies
    a broker for people who buy on the first of the month`),
  launchpad: phrases(`
    a launchpad where every sale is reviewed by people who pay for mistakes
    a launchpad with lotteries that can be checked
    a token sale platform with lock-ups by default`),
  service: phrases(`
    an audit firm that reads code twice and says so once
    a law practice for token issuers in nine countries
    a compliance vendor that checks customers without keeping them
    a development shop for contracts that must not change
    a communications agency that explains protocols to neighbours
    a market maker that publishes its terms`),
  institution: phrases(`
    a foundation that funds clients, compilers and translations
    a bank with a custody desk and a museum
    a university laboratory for distributed systems
    an exchange operator that tokenises its own paperwork`),
}
export const SECOND_SENTENCES = phrases(`
  The team works from four time zones and one boat.
  It was started after a hackathon that nobody left on time.
  Reports appear monthly, with the mistakes on the first page.
  More than half of the staff are engineers.
  Everything it runs is open source.
  It is known for plain documentation and a strange mascot.
  Its users are mostly other companies.
  It has been profitable in quarters with a full moon.
  Governance moved on chain last year.
  A second office opens in the spring.`)

/** The last word of a company's name. */
export const SUFFIXES: Readonly<Record<string, string[]>> = {
  project: words('Protocol Labs Network Finance DAO Chain Money Games Pay Layer Wallet Data'),
  investor: words('Capital Ventures Partners Fund Collective Holdings'),
  platform: words('Exchange Markets Swap Trade'),
  launchpad: words('Launchpad Starter Pad Forge'),
  service: words('Audits Legal Studio Security Advisory Communications Compliance'),
  institution: words('Foundation Bank Institute University Trust'),
}

/** Job titles by the type of the company; the first is its founder's or head's. */
const BUILDERS = list(`
  Co-Founder & CEO, Co-Founder & CTO, Founder, Chief Operating Officer, Head of Engineering,
  Senior Smart Contract Engineer, Protocol Engineer, Frontend Developer, Head of Product,
  Product Designer, Head of Marketing, Growth Lead, Business Development Manager,
  Head of Partnerships, Community Manager, Developer Relations Lead, Protocol Researcher,
  Tokenomics Lead, Operations Manager, Head of Finance, General Counsel, Chief of Staff`)
const OFFICIALS = list(`
  Managing Director, President, Head of Digital Assets, VP of Partnerships,
  Professor of Distributed Systems, Research Scientist, Compliance Officer, Treasury Manager,
  Programme Manager, Policy Lead, Grants Lead`)
export const TITLES: Readonly<Record<string, string[]>> = {
  project: BUILDERS,
  investor: list(`
    General Partner, Founding Partner, Managing Partner, Venture Partner, Principal,
    Investment Associate, Portfolio Manager, Head of Research, Chief Financial Officer,
    General Counsel`),
  platform: BUILDERS,
  launchpad: BUILDERS,
  service: list(`
    Founder & CEO, Managing Partner, Lead Security Auditor, Smart Contract Auditor, Legal Counsel,
    Head of Compliance, Account Manager, Public Relations Manager, Solutions Architect,
    Head of Sales, Operations Manager`),
  institution: OFFICIALS,
}
export const ANALYST_TITLES = list(`
  Research Analyst, On-chain Analyst, Independent Researcher, Market Analyst, Data Scientist`)
export const CREATOR_TITLES = list(`
  Content Creator, Newsletter Writer, Podcaster, Video Essayist, Host of a morning show`)
export const LONER_TITLES = list(`
  Angel Investor, Advisor, Delegate, Independent Developer, Stealth, Lighthouse keeper`)

export const RISK_REASONS = list(`
  handle changed twice within a year, follower count jumped by half in a week,
  account was renamed after a sale, posts deleted in bulk`)
