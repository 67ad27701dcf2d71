/** The files of a manual run for a bank or a service, and the payouts that are in no file. */

import type { Child } from 'hono/jsx'
import type { Message } from '../../../lib/languages/message.ts'
import * as m from '../../../lib/languages/messages.ts'
import { LinkButton } from '../../../lib/pages/forms/buttons.tsx'
import { ButtonLine } from '../../../lib/pages/layout/parts.tsx'
import { t } from '../../../lib/pages/layout/text.ts'
import { figure, money } from '../../../lib/pages/parts/money.tsx'
import { hidden, linkTo } from '../../../lib/pages/parts/tags.tsx'
import { PartnerName } from '../../../lib/pages/tables/ledger.tsx'
import { Table } from '../../../lib/pages/tables/table.tsx'
import type { LeftOutPayout, RunPlan } from '../../../lib/payouts/files/files.queries.ts'
import type { LeftOutCode, PlannedFile, TakerFormat } from '../../../lib/payouts/files/formats.ts'

/** Rows of payouts in no file. */
export const MAX_LEFT_OUT = 100

const FORMAT_NAMES: Record<TakerFormat, Message> = {
  paypal: m.payouts_paypal_payouts,
  wise: m.payouts_wise_batch_email,
  sepa: m.payouts_sepa_credit_transfer,
  wise_template: m.payouts_wise_template,
}

const LEFT_OUT_WORDS: Record<LeftOutCode, Message> = {
  details_missing: m.payouts_no_payment_details,
  currency_not_supported: m.payouts_paypal_not_in_currency,
  amount_not_whole: m.payouts_paypal_whole_amounts,
  amount_too_large: m.payouts_above_sepa_maximum,
}

type Props = {
  base: string
  /** The path of the run in the API. */
  api: string
  runPath: string
  plan: RunPlan
  /** Whether the reader may pay. Files contain the partners' payment details. */
  mayPay: boolean
}

const partNumbers = (parts: number): number[] =>
  Array.from({ length: parts }, (_, index) => index + 1)

type DownloadProps = Pick<Props, 'base' | 'runPath'>

type DownloadFormProps = { fields: Record<string, string>; action: string; children: Child }

/** A form, because a file with payment details needs a recent sign-in. */
const DownloadForm = ({ fields, action, children }: DownloadFormProps) => (
  <form method="post" action={action}>
    {Object.entries(fields).map(([name, value]) => (
      <input type="hidden" name={name} value={value} />
    ))}
    <LinkButton>{children}</LinkButton>
  </form>
)

/** The forms and links that download a file. */
const Download = ({ file, base, runPath }: { file: PlannedFile } & DownloadProps) => {
  const { format, currency, parts } = file
  if (format === 'wise_template') {
    return (
      <a href={`${runPath}/wise-template?currency=${currency}`}>{t(m.payouts_fill_template)}</a>
    )
  }
  return (
    <ul class="plain">
      {partNumbers(parts).map((part) => {
        const fields = { format, currency, part: String(part) }
        const values = { part: String(part), format: t(FORMAT_NAMES[format]), currency, hidden }
        return (
          <li>
            <DownloadForm action={`${runPath}/export`} fields={fields}>
              {t(parts > 1 ? m.payouts_download_part : m.payouts_download_file, values)}
            </DownloadForm>
            {format === 'paypal' && (
              <DownloadForm action={`${runPath}/export`} fields={{ ...fields, decimal: 'comma' }}>
                {t(parts > 1 ? m.payouts_download_part_commas : m.payouts_download_commas, values)}
              </DownloadForm>
            )}
          </li>
        )
      })}
      {format === 'sepa' && (
        <li>
          {t(m.payouts_names_business_details, { link: linkTo(`${base}/settings/business`) })}
        </li>
      )}
      {format !== 'paypal' && (
        <li>
          <a href={`${runPath}/wise-template?currency=${currency}`}>
            {t(m.payouts_fill_wise_template)}
          </a>
        </li>
      )}
    </ul>
  )
}

const FileTable = ({ plan, base, runPath, mayPay }: Props) => (
  <Table
    caption={t(m.payouts_files)}
    head={[
      t(m.file_column),
      { number: t(m.nav_payouts) },
      { number: t(m.amount_column) },
      ...(mayPay ? [t(m.payouts_download)] : []),
    ]}
  >
    {plan.files.map((file) => (
      <tr>
        <td>{t(FORMAT_NAMES[file.format])}</td>
        <td class="number">{figure(file.payouts)}</td>
        <td class="number">{money(file.amountCents, file.currency)}</td>
        {mayPay && (
          <td>
            <Download {...{ file, base, runPath }} />
          </td>
        )}
      </tr>
    ))}
  </Table>
)

type LeftOutProps = { base: string; payouts: LeftOutPayout[]; count: number }

const LeftOut = ({ base, payouts, count }: LeftOutProps) => (
  <>
    <h3>{t(m.payouts_not_in_any_file)}</h3>
    <p>{t(m.payouts_left_out_count, { count })}</p>
    <Table
      caption={t(m.payouts_in_no_file)}
      head={[
        t(m.partner),
        { number: t(m.amount_column) },
        t(m.reference_column),
        t(m.layout_reason),
      ]}
    >
      {payouts.map(
        ({ partnerId, partnerName, partnerSlug, amountCents, currency, reference, code }) => (
          <tr>
            <td>
              <PartnerName base={base} id={partnerId} name={partnerName} slug={partnerSlug} />
            </td>
            <td class="number">{money(amountCents, currency)}</td>
            <td>{reference}</td>
            <td>{t(LEFT_OUT_WORDS[code])}</td>
          </tr>
        ),
      )}
    </Table>
    {count > payouts.length && (
      <p class="hint">{t(m.payouts_first_shown, { count: payouts.length })}</p>
    )}
  </>
)

/** The downloads with which a manager pays a run, and the partners without payment details. */
export const RunFiles = (props: Props) => {
  const { base, api, plan } = props
  const leftOut = plan.leftOut.reduce((sum, { payouts }) => sum + payouts, 0)
  return (
    <>
      <ButtonLine kind="quiet" href={`${api}/export`}>
        {t(m.payouts_download_csv)}
      </ButtonLine>
      {plan.files.length > 0 && <FileTable {...props} />}
      {plan.files.length > 0 && leftOut > 0 && (
        <LeftOut base={base} payouts={plan.leftOutPayouts} count={leftOut} />
      )}
    </>
  )
}
