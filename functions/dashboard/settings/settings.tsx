import type { Context } from 'hono'
import { actOf, type WorkspaceEnv } from '../../../lib/auth/access.ts'
import { isConfirmedByPasskey } from '../../../lib/auth/passkey-for-payouts.ts'
import { changeById } from '../../../lib/auth/rows.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import type { ErrorDetail } from '../../../lib/http/errors.ts'
import { type Fields, form } from '../../../lib/http/validate.ts'
import { inEnglish, type Message } from '../../../lib/languages/message.ts'
import * as m from '../../../lib/languages/messages.ts'
import { Submit } from '../../../lib/pages/forms/buttons.tsx'
import { Checkbox, controls, Field, Select } from '../../../lib/pages/forms/fields.tsx'
import { checkForm, type Reading } from '../../../lib/pages/forms/forms.ts'
import {
  MODE_LABEL,
  ModeSelect,
  SALES_FROM_LABEL,
  SalesFromSelect,
} from '../../../lib/pages/forms/processor-fields.tsx'
import { Done, noticeFor, Problem } from '../../../lib/pages/layout/parts.tsx'
import { renderSection } from '../../../lib/pages/layout/render.tsx'
import { t } from '../../../lib/pages/layout/text.ts'
import { linkTo } from '../../../lib/pages/parts/tags.tsx'
import { askForPasskey, freshMembersOnly } from '../../../lib/sign-in/fresh-sign-in.tsx'
import {
  decideLimitRequest,
  findLimitRefusal,
  findLimitRequest,
} from '../../../lib/tenancy/settings/approval-limit.queries.ts'
import {
  LIMIT_REFUSALS,
  type LimitRefusal,
  type LimitRequest,
} from '../../../lib/tenancy/settings/approval-limit.ts'
import {
  changeSettings,
  MODE_IN_USE,
  readSettings,
  type Settings,
} from '../../../lib/tenancy/settings/settings.queries.ts'
import { SettingsChange } from '../../../lib/tenancy/settings/settings.schemas.ts'
import { exactMoney, parseMoney } from '../../../lib/values/money.ts'
import { LimitRequestCard, SUM_CURRENCY } from '../runs/limit-request.tsx'

const DONE = {
  saved: m.settings_saved,
  asked: m.settings_limit_asked,
  approve: m.settings_limit_approved,
  decline: m.settings_limit_declined,
}

const LABELS = {
  manualPayouts: m.settings_pay_partners_bank,
  payoutOrder: m.settings_pay_first,
  paypalPayouts: m.settings_partners_may_choose,
  wisePayouts: m.settings_partners_may_choose_wise,
  ibanPayouts: m.settings_partners_may_choose_bank,
  requireDocuments: m.settings_pay_only_partners,
  payoutsRequirePasskey: m.settings_payouts_require_passkey,
  selfBilling: m.settings_issue_invoices_name,
  approvalAboveCents: m.settings_approval_payout_runs,
  salesFrom: SALES_FROM_LABEL,
  backendCreatesCheckouts: m.settings_backend_creates_checkouts,
  mode: MODE_LABEL,
}

const PAYOUT_ORDERS = [
  { value: 'smallest_first', label: m.settings_the_smallest_balances },
  { value: 'largest_first', label: m.settings_the_largest_balances },
]

const SWITCHES = [
  'manualPayouts',
  'paypalPayouts',
  'wisePayouts',
  'ibanPayouts',
  'requireDocuments',
  'payoutsRequirePasskey',
  'selfBilling',
  'backendCreatesCheckouts',
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
  ...(approvalAboveCents !== null && {
    approvalAboveCents: exactMoney(approvalAboveCents, SUM_CURRENCY),
  }),
  salesFrom,
  mode,
  ...Object.fromEntries(SWITCHES.flatMap((name) => (switches[name] ? [[name, 'on']] : []))),
})

/** A form's fields as API input. */
const readForm = ({
  payoutOrder,
  approvalAboveCents: sum,
  salesFrom,
  mode,
  ...fields
}: Fields): Reading => {
  const approvalAboveCents = sum === undefined ? null : parseMoney(sum, SUM_CURRENCY)
  const message = inEnglish(m.settings_enter_amount_such)
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

type Waiting = { request: LimitRequest; refusal: LimitRefusal | null }
type Props = {
  base: string
  fields: Fields
  /** A requested higher limit that waits for a manager. */
  waiting: Waiting | null
  errors?: ErrorDetail[]
  /** Why an approval was refused. */
  refused?: string | undefined
  done?: Message | undefined
}

const SettingsPage = ({ base, fields, waiting, errors, refused, done }: Props) => {
  const control = controls(LABELS, { fields, errors })
  return (
    <>
      <h1>{t(m.layout_settings)}</h1>
      <Done message={done} />
      <Problem message={refused} errors={errors} labels={LABELS} />
      {waiting && <LimitRequestCard base={base} {...waiting} />}
      <form method="post" action={`${base}/settings`}>
        <Checkbox
          label={t(LABELS.manualPayouts)}
          name="manualPayouts"
          hint={t(m.settings_allows_payout_runs)}
          checked={fields.manualPayouts !== undefined}
        />
        <fieldset>
          <legend>{t(m.settings_payment_bank_transfer)}</legend>
          <p class="hint">{t(m.settings_partners_may_choose_portal)}</p>
          {(['paypalPayouts', 'wisePayouts', 'ibanPayouts'] as const).map((name) => (
            <Checkbox label={t(LABELS[name])} name={name} checked={fields[name] !== undefined} />
          ))}
        </fieldset>
        <Checkbox
          label={t(LABELS.requireDocuments)}
          name="requireDocuments"
          hint={t(m.settings_tax_forms_like)}
          checked={fields.requireDocuments !== undefined}
        />
        <Checkbox
          label={t(LABELS.selfBilling)}
          name="selfBilling"
          hint={t(m.settings_each_payout_issues)}
          checked={fields.selfBilling !== undefined}
        />
        <Select
          {...control('payoutOrder')}
          options={PAYOUT_ORDERS}
          hint={t(m.settings_decides_paid_stripe)}
        />
        <Field
          {...control('approvalAboveCents')}
          hint={t(m.settings_larger_payout_runs)}
          inputmode="decimal"
          autocomplete="off"
        />
        <Checkbox
          label={t(LABELS.payoutsRequirePasskey)}
          name="payoutsRequirePasskey"
          hint={t(m.settings_payouts_require_passkey_hint)}
          checked={fields.payoutsRequirePasskey !== undefined}
        />
        <SalesFromSelect value={fields.salesFrom} errors={errors} />
        <Checkbox
          label={t(LABELS.backendCreatesCheckouts)}
          name="backendCreatesCheckouts"
          hint={t(m.settings_backend_creates_checkouts_hint)}
          checked={fields.backendCreatesCheckouts !== undefined}
        />
        <ModeSelect value={fields.mode} errors={errors} />
        <Submit>{t(m.settings_save_settings)}</Submit>
      </form>
      <p>{t(m.settings_business_details_sepa, { link: linkTo(`${base}/settings/business`) })}</p>
      <p>{t(m.settings_delete_workspace_after, { link: linkTo(`${base}/deletion`) })}</p>
    </>
  )
}

const PATH = '/app/:workspace/settings'

const pathOf = (c: Context<WorkspaceEnv>) => `/app/${c.var.workspace.slug}/settings`

const readWaiting = async ({
  var: { db, workspace, user },
}: Context<WorkspaceEnv>): Promise<Waiting | null> => {
  const request = await findLimitRequest(db, workspace.id)
  return request && { request, refusal: await findLimitRefusal(db, workspace.id, user.email) }
}

/** Renders the settings, or a rejected form. */
const show = async (
  c: Context<WorkspaceEnv>,
  state: { fields?: Fields; errors?: ErrorDetail[]; refused?: string } = {},
  status: 200 | 400 | 409 = 200,
) => {
  const { db, workspace } = c.var
  const { fields = settingsFields(await readSettings(db, workspace.id)), errors, refused } = state
  const done = status === 200 ? noticeFor(DONE, c.req.query('done')) : undefined
  const children = (
    <SettingsPage
      base={`/app/${workspace.slug}`}
      waiting={await readWaiting(c)}
      {...{ fields, refused, done }}
      {...(errors && { errors })}
    />
  )
  return renderSection(c, '/settings', m.layout_settings, children, status)
}

/** Approves or declines the request of the URL. */
const decide = (wanted: 'approve' | 'decline') => async (c: Context<WorkspaceEnv>) => {
  const url = new URL(pathOf(c), c.req.url).href
  const { refusal } = await changeById(c, 'limit request', decideLimitRequest, { wanted, url })
  if (refusal) return show(c, { refused: LIMIT_REFUSALS[refusal] }, 409)
  return c.redirect(`${pathOf(c)}?done=${wanted}`, 303)
}

/** /app/:workspace/settings: the settings of the whole workspace. Managers only. */
export default createRoutes<WorkspaceEnv>()
  .get(PATH, (c) => show(c))
  .post(PATH, freshMembersOnly(), form(), async (c) => {
    const fields = c.req.valid('form')
    const { data, errors } = checkForm(SettingsChange, readForm(fields))
    if (errors) return show(c, { fields, errors }, 400)
    if (
      data.payoutsRequirePasskey !== c.var.workspace.payoutsRequirePasskey &&
      !isConfirmedByPasskey(c)
    )
      return askForPasskey(c, fields)
    const saved = await changeSettings(c.var.db, actOf(c), data, new URL(pathOf(c), c.req.url).href)
    if (!saved) return show(c, { fields, errors: [{ path: 'mode', message: MODE_IN_USE }] }, 409)
    const isAsked =
      data.approvalAboveCents !== undefined && data.approvalAboveCents !== saved.approvalAboveCents
    return c.redirect(`${pathOf(c)}?done=${isAsked ? 'asked' : 'saved'}`, 303)
  })
  .post(`${PATH}/limit-requests/:id/approve`, freshMembersOnly(), decide('approve'))
  .post(`${PATH}/limit-requests/:id/decline`, freshMembersOnly(), decide('decline'))
