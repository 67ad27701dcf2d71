import type { Child } from 'hono/jsx'
import * as m from '../../../lib/languages/messages.ts'
import { Time } from '../../../lib/pages/layout/parts.tsx'
import { t } from '../../../lib/pages/layout/text.ts'
import { money } from '../../../lib/pages/parts/money.tsx'
import { LinkCell, Table } from '../../../lib/pages/tables/table.tsx'
import type { CurrencyDifference, Difference } from '../../../lib/rules/what-if/what-if.ts'
import type { WhatIf } from '../../../lib/tracking/what-if/what-if.service.ts'

/** The form's id, for the button above it. */
export const TERMS_FORM = 'terms'

/** The buttons of a form whose change can be previewed. @param action the path that saves it */
export const SaveOrPreview = ({ action, label }: { action: string; label: string }) => (
  <p class="actions">
    <button type="submit">{label}</button>
    <button type="submit" class="quiet" formaction={`${action}/what-if`}>
      {t(m.programs_preview_the_difference)}
    </button>
  </p>
)

const signed = (cents: number, currency: string): string =>
  `${cents > 0 ? '+' : ''}${money(cents, currency)}`

const Amounts = ({ of, currency }: { of: Difference; currency: string }) => (
  <>
    <td class="number">{money(of.currentCents, currency)}</td>
    <td class="number">{money(of.changedCents, currency)}</td>
    <td class="number">{signed(of.differenceCents, currency)}</td>
  </>
)

const InCurrency = ({ base, difference }: { base: string; difference: CurrencyDifference }) => {
  const { currency, partners, others } = difference
  return (
    <Table
      caption={t(m.layout_commissions_in, { currency })}
      head={[
        t(m.partner),
        { number: t(m.programs_present_terms) },
        { number: t(m.programs_changed_terms) },
        { number: t(m.programs_difference) },
      ]}
    >
      <tr class="total">
        <th scope="row">{t(m.programs_all_partners)}</th>
        <Amounts of={difference} currency={currency} />
      </tr>
      {partners.map((partner) => (
        <tr>
          <LinkCell href={`${base}/partners/${partner.id}`}>
            {partner.name ?? partner.slug}
          </LinkCell>
          <Amounts of={partner} currency={currency} />
        </tr>
      ))}
      {others.count > 0 && partners.length > 0 && (
        <tr>
          <td>{t(m.programs_other_partners, { count: others.count })}</td>
          <Amounts of={others} currency={currency} />
        </tr>
      )}
    </Table>
  )
}

type PreviewProps = { base: string; whatIf: WhatIf; label: string; children?: Child }

/**
 * @param base     the path of the workspace
 * @param label    of the button that saves the form below
 * @param children additional notes on the figures
 */
export const Preview = ({ base, whatIf, label, children }: PreviewProps) => {
  const { from, isWhole, currencies } = whatIf
  const isSame = currencies.every(({ partners }) => partners.length === 0)
  return (
    <>
      <p>{t(m.programs_sales_leads_since, { time: () => <Time at={from} /> })}</p>
      {children}
      {!isWhole && <p class="hint">{t(m.programs_workspace_too_many)}</p>}
      {currencies.length === 0 ? (
        <p class="empty">{t(m.programs_no_sale_lead)}</p>
      ) : (
        <>
          {isSame && <p>{t(m.programs_every_partner_earns)}</p>}
          {currencies.map((difference) => (
            <InCurrency {...{ base, difference }} />
          ))}
        </>
      )}
      <p class="actions">
        <button type="submit" form={TERMS_FORM}>
          {label}
        </button>
      </p>
    </>
  )
}
