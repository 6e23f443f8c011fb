/** What a client or a walk over pages may spend. A call holds its highest price until it is known what it took. */
import { badArgument } from './errors.ts'

export class Budget {
  readonly most: number
  #spent = 0
  #held = 0

  /** @param most credits; Infinity where there is no limit */
  constructor(most: number) {
    this.most = most
  }

  /** Credits that calls took, and those that calls may have taken whose end is not known. */
  get spent(): number {
    return this.#spent
  }

  /** Credits that a further call may cost. */
  get left(): number {
    return this.most - this.#spent - this.#held
  }

  /** Takes what a call may cost. @returns what gives back what the call did not take */
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
