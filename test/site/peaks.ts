/** A directory of mountains, for what needs more records than the fixtures have. */

export const PEAKS = 60
/** The first of them have a second backer and a sector of their own. */
export const HIGH_PEAKS = 5

export const peakNumber = (position: number) => String(position).padStart(2, '0')

/** A fund with sixty investments, of which some have no date and some no amount; and one that backed a few of them. */
const companies = [
  { externalId: 'polar', name: 'Polar Ventures', companyType: 'investor', slug: 'polar' },
  { externalId: 'tundra', name: 'Tundra Capital', companyType: 'investor', slug: 'tundra' },
  { externalId: 'bare', name: 'Bare Rock', companyType: 'project', slug: 'bare-rock' },
  ...Array.from({ length: PEAKS }, (_, position) => ({
    externalId: `peak-${position}`,
    name: `Peak ${peakNumber(position)}`,
    slug: `peak-${peakNumber(position)}`,
    companyType: 'project',
    sectors: position < HIGH_PEAKS ? ['Climbing', 'Mountains'] : ['Mountains'],
    followers: 1_000 - position,
  })),
]
const rounds = Array.from({ length: PEAKS }, (_, position) => ({
  externalId: `round-${position}`,
  company: `peak-${position}`,
  roundType: position % 3 === 0 ? 'Seed' : 'Series A',
  amountUsd: position % 7 === 0 ? null : 1_000_000 * ((position * 37) % 50),
  announceDate: position % 11 === 0 ? null : `20${18 + (position % 6)}-0${1 + (position % 9)}-15`,
  investors: [
    { investor: 'polar', isLead: position % 4 === 0 },
    ...(position < HIGH_PEAKS ? [{ investor: 'tundra', isLead: false }] : []),
  ],
}))

export const PEAK_ROWS = { companies, rounds }
