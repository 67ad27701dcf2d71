import { managersOnly } from '../../lib/auth/access.ts'
import { createRoutes } from '../../lib/http/app.ts'
import type { ErrorDetail } from '../../lib/http/errors.ts'
import { type Fields, form } from '../../lib/http/validate.ts'
import { inEnglish } from '../../lib/languages/message.ts'
import { Checkbox, Field } from '../../lib/pages/fields.tsx'
import { checkForm, type Reading } from '../../lib/pages/forms.ts'
import { Done, noticeFor, Problem } from '../../lib/pages/parts.tsx'
import { PartyFields, partyLabels } from '../../lib/pages/party-fields.tsx'
import { renderPage } from '../../lib/pages/render.tsx'
import { readPayer, type StoredPayer } from '../../lib/payouts/payers.queries.ts'
import { PayerChange } from '../../lib/payouts/payers.schemas.ts'
import { changePayer, type SealEnv } from '../../lib/payouts/payers.service.ts'

const DONE = { saved: 'Business details saved.' }
const LABELS = { ...partyLabels(inEnglish), iban: 'IBAN' }

const payerFields = ({ name, street, postalCode, city, country, vatId }: StoredPayer): Fields =>
  Object.fromEntries(
    Object.entries({ name, street, postalCode, city, country, vatId }).flatMap(([field, value]) =>
      value === null ? [] : [[field, value]],
    ),
  )

/** A blank IBAN keeps the present one, which the page does not show. */
const readForm = ({ iban, removeIban, ...fields }: Fields): Reading => ({
  input: { ...fields, ...(removeIban ? { iban: null } : iban && { iban }) },
})

type Props = {
  base: string
  fields: Fields
  iban: string | null
  errors?: ErrorDetail[]
  done?: string | undefined
}

const PayerPage = ({ base, fields, iban, errors, done }: Props) => (
  <>
    <h1>Business details</h1>
    <Done message={done} />
    <Problem errors={errors} labels={LABELS} />
    <p>Who pays your partners, as bank files and documents name it.</p>
    <form method="post" action={`${base}/settings/business`}>
      <PartyFields fields={fields} errors={errors} />
      <Field
        label={LABELS.iban}
        name="iban"
        hint={
          iban
            ? `SEPA files are paid from ${iban}. It is stored encrypted. Enter another to replace it.`
            : 'The account that SEPA files are paid from. It is stored encrypted.'
        }
        autocomplete="off"
        errors={errors}
      />
      {iban && <Checkbox label="Remove the IBAN" name="removeIban" checked={false} />}
      <p>
        <button type="submit">Save business details</button>
      </p>
    </form>
    <p>
      <a href={`${base}/settings`}>Back to the settings</a>
    </p>
  </>
)

const PATH = '/app/:workspace/settings/business'

/** /app/:workspace/settings/business: the company that pays. Managers only. */
export default createRoutes<SealEnv>()
  .get(PATH, managersOnly(), async (c) => {
    const payer = await readPayer(c.var.db, c.var.workspace.id)
    const done = noticeFor(DONE, c.req.query('done'))
    const base = `/app/${c.var.workspace.slug}`
    const children = <PayerPage {...{ base, done }} fields={payerFields(payer)} iban={payer.ibanMasked} />
    return renderPage(c, { title: 'Business details', section: '/settings', children })
  })
  .post(PATH, managersOnly(), form(), async (c) => {
    const base = `/app/${c.var.workspace.slug}`
    const fields = c.req.valid('form')
    const { data, errors } = checkForm(PayerChange, readForm(fields))
    if (errors) {
      const { ibanMasked } = await readPayer(c.var.db, c.var.workspace.id)
      const children = <PayerPage {...{ base, fields, errors }} iban={ibanMasked} />
      return renderPage(c, { title: 'Business details', section: '/settings', children }, 400)
    }
    await changePayer(c, data)
    return c.redirect(`${base}/settings/business?done=saved`, 303)
  })
