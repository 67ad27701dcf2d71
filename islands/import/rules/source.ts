/** Turns what was read from another platform into a file: its partners, links, coupons and customers, a line each. */
import type {
  LeftOutReason,
  SourceCoupon,
  SourceCustomer,
  SourceLink,
  SourcePartner,
  SourceRow,
} from '../../../lib/imports/sources/source.ts'
import { formatMoney } from '../../../lib/money.ts'
import { linkIn } from './links.ts'
import type { CsvRecord } from './records.ts'

/** Which column is which is recognised by these, also in a file of rows with errors. */
const HEADERS = [
  ...['new_partner_email', 'partner_name', 'slug', 'coupon_id', 'coupon_code', 'opening_balance_cents'],
  ...['partner_status', 'group', 'partner_email', 'customer_id', 'customer_email'],
  'started_at',
]

/** Rows that are not imported, by the reason. */
type LeftOut = { reason: LeftOutReason | 'foreign_balance'; names: string[] }

/** What a file holds beside its lines if it was read from a platform. */
export type SourceNotes = { leftOut: LeftOut[]; groups: { name: string; partners: number }[] }

/** A cell from which the slug is read as it is: its link, if that has the slug where links have it. */
const slugCell = ({ slug, url }: SourceLink): string =>
  [url ?? '', slug, `?via=${encodeURIComponent(slug)}`].find((cell) => linkIn(cell)?.slug === slug) ?? slug

type Extra = { links: SourceLink[]; coupons: { externalId: string; code: string | null }[] }

/** As many lines as the partner has links or coupons. Opening balances are in USD. */
const partnerCells = (partner: SourcePartner, { links, coupons }: Extra): string[][] => {
  const { email, name, status, group, balances } = partner
  const owed = balances.find(({ currency }) => currency === 'USD')?.cents
  const count = Math.max(links.length, coupons.length, 1)
  return Array.from({ length: count }, (_, n) => {
    const [link, coupon] = [links[n], coupons[n]]
    return [
      ...[email, name ?? '', link ? slugCell(link) : '', coupon?.externalId ?? '', coupon?.code ?? ''],
      ...[owed === undefined ? '' : String(owed), status ?? '', group ?? ''],
      ...['', '', '', ''],
    ]
  })
}

const customerCells = (customer: SourceCustomer, partnerEmail: string): string[] => {
  const { externalId, email, startedAt } = customer
  return [...Array<string>(8).fill(''), partnerEmail, externalId ?? '', email ?? '', startedAt ?? '']
}

const byTime = ({ referredAt: a }: SourceCustomer, { referredAt: b }: SourceCustomer): number =>
  (a ?? '') < (b ?? '') ? -1 : (a ?? '') > (b ?? '') ? 1 : 0

const unique = <Item>(items: Item[], keyOf: (item: Item) => string): Item[] => [
  ...new Map(items.map((item) => [keyOf(item), item])).values(),
]

/**
 * The lines of a file with these rows. Customers come last, the one who was referred last at the end: of two referrals of a
 * customer, the later one counts.
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
  const links = Map.groupBy(
    rows.filter((row) => row.kind === 'link'),
    ({ partnerId }) => partnerId,
  )
  const coupons = Map.groupBy(
    rows.filter((row) => row.kind === 'coupon'),
    ({ partnerId }) => partnerId,
  )
  const couponName = ({ code, externalId }: SourceCoupon) => code ?? externalId

  for (const row of rows) {
    if (row.kind === 'left_out') leave(row.reason, row.name)
    if (row.kind === 'coupon' && !emails.has(row.partnerId)) leave('no_partner', couponName(row))
    if (row.kind === 'partner')
      for (const { currency, cents } of row.balances)
        if (currency !== 'USD') leave('foreign_balance', `${row.email} ${formatMoney(cents, currency)}`)
    if (row.kind === 'link' && !emails.has(row.partnerId)) leave('no_partner', row.link.slug)
  }
  const cells = partners.flatMap((partner) =>
    partnerCells(partner, {
      links: unique(
        [...partner.links, ...(links.get(partner.id) ?? []).map(({ link }) => link)],
        ({ slug }) => slug,
      ),
      coupons: unique(
        [...partner.coupons, ...(coupons.get(partner.id) ?? [])],
        ({ externalId }) => externalId,
      ),
    }),
  )
  for (const customer of rows.filter((row) => row.kind === 'customer').toSorted(byTime)) {
    const email = emails.get(customer.partnerId ?? '') ?? customer.partnerEmail
    if (email) cells.push(customerCells(customer, email))
    else leave('no_partner', customer.email ?? customer.externalId ?? customer.id)
  }
  const groups = Map.groupBy(partners, ({ group }) => group ?? '')
  return {
    headers: HEADERS,
    records: cells.map((line, index) => ({ line: index + 2, cells: line })),
    notes: {
      leftOut: [...leftOut].map(([reason, names]) => ({ reason, names })),
      groups: [...groups].map(([name, members]) => ({ name, partners: members.length })),
    },
  }
}
