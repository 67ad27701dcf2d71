import * as m from '../../languages/messages.ts'
import { COMMISSION_KIND_NAMES } from '../../languages/names.ts'
import { commissionStatus, isOfShadowMode } from '../../rules/steps/commissions.ts'
import type { CommissionRow } from '../../tracking/ledger/commissions.queries.ts'
import { ChoiceCell } from '../forms/choice.tsx'
import { Time } from '../layout/parts.tsx'
import { t } from '../layout/text.ts'
import { money } from '../parts/money.tsx'
import { PartnerOf, partnerHead, Status, type TableContext } from './ledger.tsx'
import { type Sorting, sortable, Table, TimeCell } from './table.tsx'

/**
 * A commission's type. A positive reversal undoes an earlier one, for example after a won dispute,
 * unless it reverses a deduction.
 */
export const typeOf = ({ kind, amountCents, reversesDeduction }: CommissionRow): string => {
  if (kind !== 'reversal') return t(COMMISSION_KIND_NAMES[kind])
  if (reversesDeduction) return t(m.commissions_reversed_deduction)
  return amountCents > 0 ? t(m.commissions_reinstatement) : t(COMMISSION_KIND_NAMES.reversal)
}

type CommissionTableProps = TableContext & {
  commissions: CommissionRow[]
  now: Date
  formId?: string | undefined
  /** The sortable columns. */
  sorting?: { created?: Sorting; status?: Sorting; payableFrom?: Sorting }
}

/** @param formId the form of the rows' checkboxes, if there is one */
export const CommissionTable = ({
  base,
  ofOne,
  commissions,
  now,
  formId,
  sorting = {},
}: CommissionTableProps) => (
  <Table
    caption={t(m.nav_commissions)}
    head={[
      ...(formId ? [t(m.commissions_choose_column)] : []),
      sortable(t(m.created_column), sorting.created),
      ...partnerHead(ofOne),
      t(m.type_column),
      t(m.layout_customer),
      { number: t(m.amount_column) },
      sortable(t(m.status), sorting.status),
      sortable(t(m.commissions_payable_from), sorting.payableFrom),
    ]}
  >
    {commissions.map((commission) => (
      <tr>
        {formId && (
          <ChoiceCell
            formId={formId}
            id={commission.id}
            what={t(m.commissions_amount_of_partner, {
              amount: money(commission.amountCents, commission.currency),
              partnerSlug: commission.partnerSlug,
            })}
          />
        )}
        <TimeCell at={commission.createdAt} />
        {!ofOne && (
          <td>
            <PartnerOf base={base} row={commission} />
          </td>
        )}
        <td>
          {commission.eventId ? (
            <a href={`${base}/events/${commission.eventId}`} data-panel>
              {typeOf(commission)}
            </a>
          ) : (
            typeOf(commission)
          )}
        </td>
        <td>{commission.customerExternalId}</td>
        <td class="number">
          <a href={`${base}/commissions/${commission.id}`} data-panel>
            {money(commission.amountCents, commission.currency)}
          </a>
        </td>
        <td>
          <Status status={commissionStatus(commission, now)} />
        </td>
        <td>
          {isOfShadowMode(commission) ? t(m.layout_never) : <Time at={commission.payableAt} />}
        </td>
      </tr>
    ))}
  </Table>
)
