/** Limit on the credits of a client or of a walk over pages. A call reserves its highest price until its cost is known. */
import { badArgument } from './errors.ts'

export class Budget {
  readonly most: number
  #spent = 0
  #held = 0

  /** @param most credits; Infinity where there is no limit */
  constructor(most: number) {
    this.most = most
  }

  /** Credits charged, or possibly charged. */
  get spent(): number {
    return this.#spent
  }

  /** Credits that a further call may cost. */
  get left(): number {
    return this.most - this.#spent - this.#held
  }

  /** Reserves the price of a call. @returns function that settles it with the credits actually charged */
  hold(credits: number): (taken: number) => void {
    this.#held += credits
    return (taken) => {
      this.#held -= credits
      this.#spent += taken
    }
  }
}

/** The budget of a walk over pages. @throws ChainkinError */
export function budgetOf(maxCredits: number | undefined): Budget {
  const most = maxCredits ?? Number.POSITIVE_INFINITY
  if (most >= 0) return new Budget(most)
  throw badArgument('maxCredits', 'a number of credits from 0')
}
