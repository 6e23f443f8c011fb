/** The private channels, as the flags and the filter name them, and as people call them. */
export const CHANNEL_NAMES = {
  email: { flag: 'hasEmail', label: 'Email' },
  phone: { flag: 'hasPhone', label: 'Phone' },
  telegram: { flag: 'hasTelegram', label: 'Telegram' },
  linkedin: { flag: 'hasLinkedin', label: 'LinkedIn' },
} as const
