import { mayOpen } from '../../../lib/auth/roles/roles.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import type { ErrorDetail } from '../../../lib/http/errors.ts'
import { type Fields, form } from '../../../lib/http/validate.ts'
import { inEnglish, type Message } from '../../../lib/languages/message.ts'
import * as m from '../../../lib/languages/messages.ts'
import { Submit } from '../../../lib/pages/forms/buttons.tsx'
import { Checkbox, Field } from '../../../lib/pages/forms/fields.tsx'
import { checkForm, type Reading } from '../../../lib/pages/forms/forms.ts'
import { PartyFields, partyLabels } from '../../../lib/pages/forms/party-fields.tsx'
import { Done, noticeFor, Problem } from '../../../lib/pages/layout/parts.tsx'
import { renderSection } from '../../../lib/pages/layout/render.tsx'
import { t } from '../../../lib/pages/layout/text.ts'
import { readPayer, type StoredPayer } from '../../../lib/payouts/details/payers.queries.ts'
import { PayerChange } from '../../../lib/payouts/details/payers.schemas.ts'
import { changePayer, type SealEnv } from '../../../lib/payouts/details/payers.service.ts'
import { freshMembersOnly } from '../../../lib/sign-in/fresh-sign-in.tsx'

const DONE = { saved: m.payouts_business_details_saved }
const LABELS = { ...partyLabels(inEnglish), iban: 'IBAN' }

const payerFields = ({ name, street, postalCode, city, country, vatId }: StoredPayer): Fields =>
  Object.fromEntries(
    Object.entries({ name, street, postalCode, city, country, vatId }).flatMap(([field, value]) =>
      value === null ? [] : [[field, value]],
    ),
  )

/** A blank IBAN keeps the stored IBAN, which the page does not show. */
const readForm = ({ iban, removeIban, ...fields }: Fields): Reading => ({
  input: { ...fields, ...(removeIban ? { iban: null } : iban && { iban }) },
})

type Props = {
  base: string
  /** Whether the reader may open the settings. */
  isSettings: boolean
  fields: Fields
  iban: string | null
  errors?: ErrorDetail[]
  done?: Message | undefined
}

const PayerPage = ({ base, isSettings, fields, iban, errors, done }: Props) => (
  <>
    <h1>{t(m.payouts_business_details)}</h1>
    <Done message={done} />
    <Problem errors={errors} labels={LABELS} />
    <p>{t(m.payouts_business_details_help)}</p>
    <form method="post" action={`${base}/settings/business`}>
      <PartyFields fields={fields} errors={errors} />
      <Field
        label={LABELS.iban}
        name="iban"
        hint={iban ? t(m.payouts_sepa_files_paid, { iban }) : t(m.payouts_account_sepa_files)}
        autocomplete="off"
        errors={errors}
      />
      {iban && <Checkbox label={t(m.payouts_remove_the_iban)} name="removeIban" checked={false} />}
      <Submit>{t(m.payouts_save_business_details)}</Submit>
    </form>
    <p>
      {isSettings ? (
        <a href={`${base}/settings`}>{t(m.payouts_back_settings)}</a>
      ) : (
        <a href={`${base}/payouts`}>{t(m.nav_payouts)}</a>
      )}
    </p>
  </>
)

const PATH = '/app/:workspace/settings/business'

/** /app/:workspace/settings/business: the company that pays. */
export default createRoutes<SealEnv>()
  .get(PATH, async (c) => {
    const payer = await readPayer(c.var.db, c.var.workspace.id)
    const done = noticeFor(DONE, c.req.query('done'))
    const base = `/app/${c.var.workspace.slug}`
    const isSettings = mayOpen(c.var.workspace, 'GET /settings')
    const children = (
      <PayerPage
        {...{ base, isSettings, done }}
        fields={payerFields(payer)}
        iban={payer.ibanMasked}
      />
    )
    return renderSection(c, '/settings', m.payouts_business_details, children)
  })
  .post(PATH, freshMembersOnly(), form(), async (c) => {
    const base = `/app/${c.var.workspace.slug}`
    const isSettings = mayOpen(c.var.workspace, 'GET /settings')
    const fields = c.req.valid('form')
    const { data, errors } = checkForm(PayerChange, readForm(fields))
    if (errors) {
      const { ibanMasked } = await readPayer(c.var.db, c.var.workspace.id)
      const children = <PayerPage {...{ base, isSettings, fields, errors }} iban={ibanMasked} />
      return renderSection(c, '/settings', m.payouts_business_details, children, 400)
    }
    await changePayer(c, data)
    return c.redirect(`${base}/settings/business?done=saved`, 303)
  })
