/** The private channels by their names in the filter, each with its flag on records and its label. */
export const CHANNEL_NAMES = {
  email: { flag: 'hasEmail', label: 'Email' },
  phone: { flag: 'hasPhone', label: 'Phone' },
  telegram: { flag: 'hasTelegram', label: 'Telegram' },
  linkedin: { flag: 'hasLinkedin', label: 'LinkedIn' },
} as const
