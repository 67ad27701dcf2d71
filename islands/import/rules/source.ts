/**
 * Turns the rows of another platform into a file, with a line per partner, link, coupon and
 * customer.
 */

import type {
  Balance,
  LeftOutReason,
  SourceCommission,
  SourceCoupon,
  SourceCustomer,
  SourceLink,
  SourcePartner,
  SourceRow,
} from '../../../lib/imports/sources/source-rows.ts'
import { normalizeEmail } from '../../../lib/values/emails.ts'
import { formatMoney, isCurrency, MAX_AMOUNT_CENTS } from '../../../lib/values/money.ts'
import { linkIn } from './links.ts'
import type { CsvRecord } from './reading/records.ts'

/** These identify the columns, also in an error file. */
const HEADERS = [
  ...[
    'new_partner_email',
    'partner_name',
    'slug',
    'coupon_id',
    'coupon_code',
    'opening_balance_cents',
  ],
  ...['partner_status', 'group', 'partner_email', 'customer_id', 'customer_email'],
  ...['started_at', 'prior_commissions', 'prior_amount_cents', 'prior_currency'],
]

/** Rows that are not imported, by reason. */
type LeftOut = {
  reason: LeftOutReason | 'foreign_balance' | 'negative_balance' | 'odd_prior'
  names: string[]
}

/** What a file from another platform holds in addition to its lines. */
export type SourceNotes = { leftOut: LeftOut[]; rewards: number }

/** The cell of a slug: the link if it contains the slug, else the slug itself. */
const slugCell = ({ slug, url }: SourceLink): string =>
  [url ?? '', slug, `?via=${encodeURIComponent(slug)}`].find(
    (cell) => linkIn(cell)?.slug === slug,
  ) ?? slug

type Extra = { links: SourceLink[]; coupons: { externalId: string; code: string | null }[] }

/** A line per link or coupon of the partner. Opening balances are in USD. */
const partnerCells = (partner: SourcePartner, { links, coupons }: Extra): string[][] => {
  const { email, name, status, group, balances } = partner
  const owed = balances.find(({ currency, cents }) => currency === 'USD' && cents > 0)?.cents
  const count = Math.max(links.length, coupons.length, 1)
  return Array.from({ length: count }, (_, n) => {
    const [link, coupon] = [links[n], coupons[n]]
    return [
      ...[
        email,
        name ?? '',
        link ? slugCell(link) : '',
        coupon?.externalId ?? '',
        coupon?.code ?? '',
      ],
      ...[owed === undefined ? '' : String(owed), status ?? '', group ?? ''],
      ...Array<string>(7).fill(''),
    ]
  })
}

/** What was paid earlier for a customer, by currency, most commissions first. */
const priorsOf = ({ prior = {} }: SourceCustomer): PriorSum[] =>
  Object.entries(prior)
    .map(([currency, sum]) => ({ currency, ...sum }))
    .filter(({ commissions }) => commissions > 0)
    .toSorted((a, b) => b.commissions - a.commissions)

type PriorSum = { currency: string; commissions: number; amountCents: number }

/** Whether an import takes a sum. Reversed commissions may outweigh the others. */
const isImportable = ({ currency, amountCents }: PriorSum): boolean =>
  isCurrency(currency) && amountCents >= 0 && amountCents <= MAX_AMOUNT_CENTS

const customerCells = (
  { externalId, email, startedAt, firstCommissionAt }: SourceCustomer,
  partnerEmail: string,
  prior: PriorSum | undefined,
): string[] => [
  ...Array<string>(8).fill(''),
  ...[partnerEmail, externalId ?? '', email ?? '', firstCommissionAt ?? startedAt ?? ''],
  ...(prior
    ? [String(prior.commissions), String(prior.amountCents), prior.currency]
    : ['', '', '']),
]

const byTime = ({ referredAt: a }: SourceCustomer, { referredAt: b }: SourceCustomer): number =>
  (a ?? '') < (b ?? '') ? -1 : (a ?? '') > (b ?? '') ? 1 : 0

const unique = <Item>(items: Item[], keyOf: (item: Item) => string): Item[] => [
  ...new Map(items.map((item) => [keyOf(item), item])).values(),
]

type Sums = { owed: Map<string, Balance[]>; ownerless: string[] }

/**
 * The sums of unpaid commissions, by the partner's id and currency; and commissions whose partner
 * was not read.
 */
const sumsOf = (commissions: SourceCommission[], partners: SourcePartner[]): Sums => {
  const ids = new Map(
    partners.flatMap(({ id, email }) => [id, normalizeEmail(email) ?? ''].map((key) => [key, id])),
  )
  const sums: Sums = { owed: new Map(), ownerless: [] }
  for (const { id, partnerId, partnerEmail, amountCents, currency, state } of commissions) {
    if (state !== 'pending' && state !== 'due') continue
    const partner = ids.get(partnerId ?? '') ?? ids.get(normalizeEmail(partnerEmail) ?? '')
    if (!partner) {
      sums.ownerless.push(id)
      continue
    }
    const balances = sums.owed.get(partner) ?? []
    const sum = balances.find((balance) => balance.currency === currency)
    if (sum) sum.cents += amountCents
    else balances.push({ currency, cents: amountCents })
    sums.owed.set(partner, balances)
  }
  return sums
}

/**
 * The lines of a file with these rows. Customers come last, the latest referral at the end: of two
 * referrals of a customer, the later one counts.
 */
export const sourceRecords = (
  rows: SourceRow[],
): { headers: string[]; records: CsvRecord[]; notes: SourceNotes } => {
  const partners = rows.filter((row) => row.kind === 'partner')
  const emails = new Map(partners.map(({ id, email }) => [id, email]))
  const leftOut = new Map<LeftOut['reason'], string[]>()
  const leave = (reason: LeftOut['reason'], name: string) => {
    const names = leftOut.get(reason)
    if (names) names.push(name)
    else leftOut.set(reason, [name])
  }
  const owners = new Map(
    partners.flatMap(({ id, memberships = [] }) => [id, ...memberships].map((one) => [one, id])),
  )
  const groups = new Map(
    rows.filter((row) => row.kind === 'group').map(({ id, name }) => [id, name]),
  )
  const links = Map.groupBy(
    rows.filter((row) => row.kind === 'link'),
    ({ partnerId }) => partnerId,
  )
  const coupons = Map.groupBy(
    rows.filter((row) => row.kind === 'coupon'),
    ({ partnerId }) => owners.get(partnerId),
  )
  const couponName = ({ code, externalId }: SourceCoupon) => code ?? externalId

  for (const row of rows) {
    if (row.kind === 'left_out') leave(row.reason, row.name)
    if (row.kind === 'coupon' && !owners.has(row.partnerId)) leave('no_partner', couponName(row))
    if (row.kind === 'link' && !emails.has(row.partnerId)) leave('no_partner', row.link.slug)
  }
  const { owed, ownerless } = sumsOf(
    rows.filter((row) => row.kind === 'commission'),
    partners,
  )
  for (const id of ownerless) leave('no_partner', id)
  const cells = partners.flatMap((partner) => {
    const balances = [...partner.balances, ...(owed.get(partner.id) ?? [])]
    for (const { currency, cents } of balances) {
      const name = `${partner.email} ${formatMoney(cents, currency)}`
      if (cents < 0) leave('negative_balance', name)
      else if (currency !== 'USD') leave('foreign_balance', name)
    }
    return partnerCells(
      { ...partner, balances, group: groups.get(partner.group ?? '') ?? partner.group },
      {
        links: unique(
          [...partner.links, ...(links.get(partner.id) ?? []).map(({ link }) => link)],
          ({ slug }) => slug,
        ),
        coupons: unique(
          [...partner.coupons, ...(coupons.get(partner.id) ?? [])],
          ({ externalId }) => externalId,
        ),
      },
    )
  })
  const currencies = new Map<string, string>()
  for (const customer of rows.filter((row) => row.kind === 'customer').toSorted(byTime)) {
    const partnerEmail = emails.get(customer.partnerId ?? '') ?? customer.partnerEmail
    const name = customer.email ?? customer.externalId ?? customer.id
    if (!partnerEmail) {
      leave('no_partner', name)
      continue
    }
    // Of a customer who was referred twice, only one sum is imported.
    const key = `${customer.externalId ?? customer.email}\n${partnerEmail}`
    const sums = priorsOf(customer)
    const prior = sums.find(
      (sum) => isImportable(sum) && (currencies.get(key) ?? sum.currency) === sum.currency,
    )
    if (prior) currencies.set(key, prior.currency)
    cells.push(customerCells(customer, partnerEmail, prior))
    for (const sum of sums)
      if (sum !== prior) leave('odd_prior', `${name} ${formatMoney(sum.amountCents, sum.currency)}`)
  }
  return {
    headers: HEADERS,
    records: cells.map((line, index) => ({ line: index + 2, cells: line })),
    notes: {
      leftOut: [...leftOut].map(([reason, names]) => ({ reason, names })),
      rewards: rows.filter(({ kind }) => kind === 'reward').length,
    },
  }
}
