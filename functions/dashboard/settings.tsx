import { actOf, managersOnly, type WorkspaceEnv } from '../../lib/auth/access.ts'
import { createRoutes } from '../../lib/http/app.ts'
import type { ErrorDetail } from '../../lib/http/errors.ts'
import { type Fields, form } from '../../lib/http/validate.ts'
import { parseMoney, plainMoney } from '../../lib/money.ts'
import { Checkbox, controls, Field, Select } from '../../lib/pages/fields.tsx'
import { checkForm, type Reading } from '../../lib/pages/forms.ts'
import { MODE_LABEL, ModeSelect } from '../../lib/pages/mode.tsx'
import { Done, noticeFor, Problem } from '../../lib/pages/parts.tsx'
import { renderPage } from '../../lib/pages/render.tsx'
import { SALES_FROM_LABEL, SalesFromSelect } from '../../lib/pages/sales-from.tsx'
import {
  changeSettings,
  MODE_IN_USE,
  readSettings,
  type Settings,
} from '../../lib/workspace/settings.queries.ts'
import { SettingsChange } from '../../lib/workspace/settings.schemas.ts'

const DONE = { saved: 'Settings saved.' }

/** A currency of two decimals, as most have: the sum applies to the minor units of every currency. */
const SUM_CURRENCY = 'USD'

const LABELS = {
  manualPayouts: 'Pay partners by bank transfer',
  payoutOrder: 'Pay first',
  paypalPayouts: 'Partners may choose PayPal',
  wisePayouts: 'Partners may choose Wise',
  ibanPayouts: 'Partners may choose a bank account with an IBAN',
  requireDocuments: 'Pay only partners whose documents were received',
  selfBilling: 'Issue invoices in the name of partners who agree',
  approvalAboveCents: 'Approval of payout runs above (optional)',
  salesFrom: SALES_FROM_LABEL,
  mode: MODE_LABEL,
}

const PAYOUT_ORDER_OPTIONS = [
  { value: 'smallest_first', label: 'The smallest balances' },
  { value: 'largest_first', label: 'The largest balances' },
]

/** The settings that are on or off. */
const SWITCHES = [
  'manualPayouts',
  'paypalPayouts',
  'wisePayouts',
  'ibanPayouts',
  'requireDocuments',
  'selfBilling',
] as const

/** The settings as form fields. */
const settingsFields = ({
  payoutOrder,
  approvalAboveCents,
  salesFrom,
  mode,
  ...switches
}: Settings): Fields => ({
  payoutOrder,
  ...(approvalAboveCents !== null && { approvalAboveCents: plainMoney(approvalAboveCents, SUM_CURRENCY) }),
  salesFrom,
  mode,
  ...Object.fromEntries(SWITCHES.flatMap((name) => (switches[name] ? [[name, 'on']] : []))),
})

/** A form's fields as API input. */
const readForm = ({ payoutOrder, approvalAboveCents: sum, salesFrom, mode, ...fields }: Fields): Reading => {
  const approvalAboveCents = sum === undefined ? null : parseMoney(sum, SUM_CURRENCY)
  const message = 'Enter an amount such as 1000.00, or leave it blank.'
  return {
    input: {
      ...Object.fromEntries(SWITCHES.map((name) => [name, fields[name] !== undefined])),
      payoutOrder,
      approvalAboveCents,
      salesFrom,
      mode,
    },
    ...(sum !== undefined &&
      approvalAboveCents === null && { problems: [{ path: 'approvalAboveCents', message }] }),
  }
}

type Props = { base: string; fields: Fields; errors?: ErrorDetail[]; done?: string | undefined }

const SettingsPage = ({ base, fields, errors, done }: Props) => {
  const control = controls(LABELS, { fields, errors })
  return (
    <>
      <h1>Settings</h1>
      <Done message={done} />
      <Problem errors={errors} labels={LABELS} />
      <form method="post" action={`${base}/settings`}>
        <Checkbox
          label={LABELS.manualPayouts}
          name="manualPayouts"
          hint="Allows payout runs that you pay yourself from a CSV file. Otherwise partners are paid with Stripe only, once they have connected an account."
          checked={fields.manualPayouts !== undefined}
        />
        <fieldset>
          <legend>Payment by bank transfer</legend>
          <p class="hint">
            What partners may choose in their portal, while bank transfers are on. Their details are stored
            encrypted, and are in the files of your payout runs.
          </p>
          {(['paypalPayouts', 'wisePayouts', 'ibanPayouts'] as const).map((name) => (
            <Checkbox label={LABELS[name]} name={name} checked={fields[name] !== undefined} />
          ))}
        </fieldset>
        <Checkbox
          label={LABELS.requireDocuments}
          name="requireDocuments"
          hint="For tax forms and the like, which you collect yourself and mark on the partner’s page."
          checked={fields.requireDocuments !== undefined}
        />
        <Checkbox
          label={LABELS.selfBilling}
          name="selfBilling"
          hint="Each payout then issues a numbered invoice. Partners agree in their portal. Check with your tax adviser first."
          checked={fields.selfBilling !== undefined}
        />
        <Select
          {...control('payoutOrder')}
          options={PAYOUT_ORDER_OPTIONS}
          hint="Decides who is paid when your Stripe balance does not cover everybody. The others are paid by a later run."
        />
        <Field
          {...control('approvalAboveCents')}
          hint="Larger payout runs wait until a manager other than the one who started them approves; scheduled ones wait for any manager. For example 10000.00, in every currency."
          inputmode="decimal"
          autocomplete="off"
        />
        <SalesFromSelect value={fields.salesFrom} errors={errors} />
        <ModeSelect value={fields.mode} errors={errors} />
        <p>
          <button type="submit">Save settings</button>
        </p>
      </form>
      <p>
        <a href={`${base}/settings/business`}>Business details</a>, for SEPA files and documents.
      </p>
      <p>
        <a href={`${base}/deletion`}>Delete the workspace</a>, after 30 days in which any manager can cancel.
      </p>
    </>
  )
}

/** /app/:workspace/settings: what a manager chooses for the whole workspace. Managers only. */
export default createRoutes<WorkspaceEnv>()
  .get('/app/:workspace/settings', managersOnly(), async (c) => {
    const { db, workspace } = c.var
    const fields = settingsFields(await readSettings(db, workspace.id))
    const done = noticeFor(DONE, c.req.query('done'))
    const children = <SettingsPage base={`/app/${workspace.slug}`} {...{ fields, done }} />
    return renderPage(c, { title: 'Settings', section: '/settings', children })
  })
  .post('/app/:workspace/settings', managersOnly(), form(), async (c) => {
    const { db, workspace } = c.var
    const base = `/app/${workspace.slug}`
    const fields = c.req.valid('form')
    const { data, errors } = checkForm(SettingsChange, readForm(fields))
    const again = (errors: ErrorDetail[], status: 400 | 409) => {
      const children = <SettingsPage {...{ base, fields, errors }} />
      return renderPage(c, { title: 'Settings', section: '/settings', children }, status)
    }
    if (errors) return again(errors, 400)
    const saved = await changeSettings(db, actOf(c), data)
    if (!saved) return again([{ path: 'mode', message: MODE_IN_USE }], 409)
    return c.redirect(`${base}/settings?done=saved`, 303)
  })
