import type { Message } from '../../../lib/languages/message.ts'
import * as m from '../../../lib/languages/messages.ts'
import { ChoiceCell } from '../../../lib/pages/forms/choice.tsx'
import { t } from '../../../lib/pages/layout/text.ts'
import { figure, money } from '../../../lib/pages/parts/money.tsx'
import { PartnerName, Status } from '../../../lib/pages/tables/ledger.tsx'
import { type Sorted, sortingBy } from '../../../lib/pages/tables/sorting.ts'
import { type Heading, Table } from '../../../lib/pages/tables/table.tsx'
import type {
  PartnerFigures,
  PartnerListRow,
} from '../../../lib/partners/lists/partner-list.queries.ts'
import type { PartnerSort } from '../../../lib/partners/lists/partners.schemas.ts'

/** The sortable columns, and the order of a first click. */
export const SORTS: Record<PartnerSort, { label: Message; first: 'asc' | 'desc' }> = {
  newest: { label: m.partners_newest, first: 'desc' },
  name: { label: m.party_name, first: 'asc' },
  clicks: { label: m.clicks, first: 'desc' },
  leads: { label: m.leads, first: 'desc' },
  customers: { label: m.layout_customers, first: 'desc' },
  sales: { label: m.sales, first: 'desc' },
  revenue: { label: m.layout_revenue, first: 'desc' },
  earned: { label: m.earned, first: 'desc' },
  unpaid: { label: m.partners_unpaid, first: 'desc' },
  active: { label: m.partners_last_activity, first: 'desc' },
}

type Count = 'clicks' | 'leads' | 'customers' | 'sales'
type Amount = 'revenueCents' | 'earnedCents' | 'unpaidCents'

const Counted = ({ figures, of }: { figures: PartnerFigures[]; of: Count }) => (
  <td class="number">{figure(figures.reduce((sum, row) => sum + row[of], 0))}</td>
)

/** The nonzero amounts, a line each. */
const Amounts = ({ figures, of }: { figures: PartnerFigures[]; of: Amount }) => (
  <td class="number">
    {figures.map(
      ({ currency, [of]: cents }) => currency && cents !== 0 && <div>{money(cents, currency)}</div>,
    )}
  </td>
)

type Props = {
  base: string
  partners: PartnerListRow[]
  sorted: Sorted<PartnerSort>
  query: Readonly<Record<string, string>>
  /** The form of the rows' checkboxes; undefined for members, who may not change partners. */
  formId: string | undefined
}

export const PartnerTable = ({ base, partners, sorted, query, formId }: Props) => {
  const sort = (column: PartnerSort) =>
    sortingBy(`${base}/partners`, query, sorted, column, SORTS[column].first)
  const number = (column: PartnerSort): Heading => ({
    number: t(SORTS[column].label),
    sort: sort(column),
  })
  const head: Heading[] = [
    ...(formId ? [t(m.partners_choose_column)] : []),
    { text: t(m.partner), sort: sort('name') },
    ...(
      ['clicks', 'leads', 'customers', 'sales', 'revenue', 'earned', 'unpaid', 'active'] as const
    ).map(number),
  ]
  return (
    <Table caption={t(m.layout_partners)} head={head}>
      {partners.map(({ figures, ...partner }) => (
        <tr>
          {formId && (
            <ChoiceCell formId={formId} id={partner.id} what={partner.name ?? partner.slug} />
          )}
          <td class="name">
            <PartnerName
              base={base}
              id={partner.id}
              name={partner.name}
              slug={partner.slug}
              isTest={partner.isTest}
            />
            {partner.status === 'banned' && <Status status="banned" />}
            <small>{[partner.email, partner.groupName].filter(Boolean).join(' · ')}</small>
          </td>
          <Counted figures={figures} of="clicks" />
          <Counted figures={figures} of="leads" />
          <Counted figures={figures} of="customers" />
          <Counted figures={figures} of="sales" />
          <Amounts figures={figures} of="revenueCents" />
          <Amounts figures={figures} of="earnedCents" />
          <Amounts figures={figures} of="unpaidCents" />
          <td class="number">
            {partner.lastActiveOn && (
              <time datetime={partner.lastActiveOn}>{partner.lastActiveOn}</time>
            )}
          </td>
        </tr>
      ))}
    </Table>
  )
}
