/** Amounts of money in words. Stripe counts them in the smallest unit of their currency. */

/** Digits behind the point at Stripe, where they aren't two: https://docs.stripe.com/currencies */
const DIGITS: Readonly<Record<string, number>> = {
  ...Object.fromEntries(
    'bif clp djf gnf jpy kmf krw mga pyg rwf vnd vuv xaf xof xpf'
      .split(' ')
      .map((currency) => [currency, 0]),
  ),
  ...Object.fromEntries('bhd jod kwd omr tnd'.split(' ').map((currency) => [currency, 3])),
}

/** Amount in its currency: 4900 of `usd` as $49.00, of `jpy` as ¥4,900. */
export function moneyText(amount: number, currency = 'usd'): string {
  const digits = DIGITS[currency] ?? 2
  return (amount / 10 ** digits).toLocaleString('en-US', {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  })
}

interface Collected {
  /** Price by the list, in dollars. */
  usd: number | null
  charged: number | null
  reversed: number | null
}

/** The part of a payment that went back, in words; null for nothing. The currency isn't stored: what was not collected by the list gets a share. */
export function paidBackText({ usd, charged, reversed }: Collected): string | null {
  if (!charged || !reversed) return null
  if (usd !== null && charged === usd * 100)
    return `${moneyText(reversed)} of ${moneyText(charged)}`
  if (reversed === charged) return 'All of it'
  // Neither nothing nor all: a part is what went back.
  const percent = Math.min(Math.max(Math.round((reversed * 100) / charged), 1), 99)
  return `${percent} % of it`
}
