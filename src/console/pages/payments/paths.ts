/** Where the pages of payments are. */
export const PAYMENTS = '/operator/payments'

export const paymentPath = (id: string): string => `${PAYMENTS}/${id}`
