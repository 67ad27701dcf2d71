/** A subscription plan of Pine Notes. */
export type Plan = {
  id: string
  name: string
  priceCents: number
  pitch: string
  features: string[]
}

export const CURRENCY = 'USD'

const GROVE: Plan = {
  id: 'grove',
  name: 'Grove',
  priceCents: 2_900,
  pitch: 'For a small team with shared notebooks.',
  features: ['Everything in Seedling', 'Shared notebooks', 'Up to 10 people', 'Version history'],
}

/** The plan preselected at checkout. */
export const DEFAULT_PLAN = GROVE

export const PLANS: Plan[] = [
  {
    id: 'seedling',
    name: 'Seedling',
    priceCents: 900,
    pitch: 'For one person and every thought.',
    features: ['Unlimited notes', 'Works offline', 'Search in everything'],
  },
  GROVE,
  {
    id: 'forest',
    name: 'Forest',
    priceCents: 4_900,
    pitch: 'For a company that writes things down.',
    features: ['Everything in Grove', 'Unlimited people', 'Single sign-on', 'Help within the hour'],
  },
]

/** A second product, which the first invoice bills once. */
export const SETUP = { name: 'Setup session', priceCents: 5_900 }

export const findPlan = (id: string | undefined): Plan | undefined =>
  PLANS.find((plan) => plan.id === id)

const DOLLARS = new Intl.NumberFormat('en-US', { style: 'currency', currency: CURRENCY })

/** Formats a price: 2900 is "$29.00". */
export const price = ({ priceCents }: Pick<Plan, 'priceCents'>): string =>
  DOLLARS.format(priceCents / 100)
