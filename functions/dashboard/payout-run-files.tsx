/** The files of a manual run: what a bank or a service takes, and who is in none of them. */
import type { Child } from 'hono/jsx'
import { PartnerName } from '../../lib/pages/ledger.tsx'
import { figure, money } from '../../lib/pages/money.tsx'
import { Table } from '../../lib/pages/parts.tsx'
import type { LeftOutPayout, RunPlan } from '../../lib/payouts/files/files.queries.ts'
import type { LeftOutCode, PlannedFile, TakerFormat } from '../../lib/payouts/files/formats.ts'
import { counted } from '../../lib/plural.ts'

/** Rows of those who are in no file. */
export const MAX_LEFT_OUT = 100

const FORMAT_NAMES: Record<TakerFormat, string> = {
  paypal: 'PayPal Payouts',
  wise: 'Wise batch by email',
  sepa: 'SEPA credit transfer',
  wise_template: 'Wise template',
}

const LEFT_OUT_WORDS: Record<LeftOutCode, string> = {
  details_missing: 'No payment details',
  currency_not_supported: 'PayPal does not pay out this currency',
  amount_not_whole: 'PayPal takes whole amounts only in this currency',
  amount_too_large: 'More than a SEPA transfer may be',
}

type Props = {
  base: string
  /** The path of the run in the API. */
  api: string
  runPath: string
  plan: RunPlan
  /** Files have the partners' details, which only managers get. */
  isManager: boolean
}

const partNumbers = (parts: number): number[] => Array.from({ length: parts }, (_, index) => index + 1)

type DownloadProps = Pick<Props, 'base' | 'runPath'>

/** A form, because a file with partners' details needs a recent sign-in. */
const DownloadForm = ({
  fields,
  action,
  children,
}: {
  fields: Record<string, string>
  action: string
  children: Child
}) => (
  <form method="post" action={action}>
    {Object.entries(fields).map(([name, value]) => (
      <input type="hidden" name={name} value={value} />
    ))}
    <button type="submit" class="link">
      {children}
    </button>
  </form>
)

/** The forms and links by which a file is downloaded. */
const Download = ({ file, base, runPath }: { file: PlannedFile } & DownloadProps) => {
  const { format, currency, parts } = file
  if (format === 'wise_template') {
    return <a href={`${runPath}/wise-template?currency=${currency}`}>Fill in a template</a>
  }
  return (
    <ul class="plain">
      {partNumbers(parts).map((part) => {
        const fields = { format, currency, part: String(part) }
        const name = `${FORMAT_NAMES[format]} in ${currency}`
        const partName = parts > 1 ? ` part ${part}` : ''
        return (
          <li>
            <DownloadForm action={`${runPath}/export`} fields={fields}>
              Download{partName}
              <span class="hidden"> the file for {name}</span>
            </DownloadForm>
            {format === 'paypal' && (
              <DownloadForm action={`${runPath}/export`} fields={{ ...fields, decimal: 'comma' }}>
                Download{partName} with decimal commas<span class="hidden"> for {name}</span>
              </DownloadForm>
            )}
          </li>
        )
      })}
      {format === 'sepa' && (
        <li>
          It names your <a href={`${base}/settings/business`}>business details</a>
        </li>
      )}
      {format !== 'paypal' && (
        <li>
          <a href={`${runPath}/wise-template?currency=${currency}`}>Fill in a Wise template instead</a>
        </li>
      )}
    </ul>
  )
}

const FileTable = ({ plan, base, runPath, isManager }: Props) => (
  <Table
    caption="Files"
    head={['File', { number: 'Payouts' }, { number: 'Amount' }, ...(isManager ? ['Download'] : [])]}
  >
    {plan.files.map((file) => (
      <tr>
        <td>{FORMAT_NAMES[file.format]}</td>
        <td class="number">{figure(file.payouts)}</td>
        <td class="number">{money(file.amountCents, file.currency)}</td>
        {isManager && (
          <td>
            <Download {...{ file, base, runPath }} />
          </td>
        )}
      </tr>
    ))}
  </Table>
)

const LeftOut = ({ base, payouts, count }: { base: string; payouts: LeftOutPayout[]; count: number }) => (
  <>
    <h3>Not in any file</h3>
    <p>
      {counted(count, 'payout')} must be paid another way. The CSV file lists all payouts, and how each is to
      be paid.
    </p>
    <Table caption="Payouts in no file" head={['Partner', { number: 'Amount' }, 'Reference', 'Reason']}>
      {payouts.map(({ partnerId, partnerName, partnerSlug, amountCents, currency, reference, code }) => (
        <tr>
          <td>
            <PartnerName base={base} id={partnerId} name={partnerName} slug={partnerSlug} />
          </td>
          <td class="number">{money(amountCents, currency)}</td>
          <td>{reference}</td>
          <td>{LEFT_OUT_WORDS[code]}</td>
        </tr>
      ))}
    </Table>
    {count > payouts.length && <p class="hint">The first {counted(payouts.length, 'payout')} are shown.</p>}
  </>
)

/** What a manager downloads to pay a run. Partners who gave no details are listed. */
export const RunFiles = (props: Props) => {
  const { base, api, plan } = props
  const leftOut = plan.leftOut.reduce((sum, { payouts }) => sum + payouts, 0)
  return (
    <>
      <p>
        <a class="button quiet" href={`${api}/export`}>
          Download CSV
        </a>
      </p>
      {plan.files.length > 0 && <FileTable {...props} />}
      {plan.files.length > 0 && leftOut > 0 && (
        <LeftOut base={base} payouts={plan.leftOutPayouts} count={leftOut} />
      )}
    </>
  )
}
