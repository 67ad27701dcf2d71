/** The fields of a party of documents: a merchant's company, or a partner. */
import type { Translate } from '../../languages/message.ts'
import * as m from '../../languages/messages.ts'
import { t } from '../layout/text.ts'
import { controls, Field, type FormState } from './fields.tsx'

/** Labels by field name. */
export const partyLabels = (t: Translate) => ({
  name: t(m.party_name),
  street: t(m.party_street),
  postalCode: t(m.party_postal_code),
  city: t(m.party_city),
  country: t(m.country),
  vatId: t(m.party_vat_id),
})

/** Name, address and VAT id. */
export const PartyFields = (form: FormState) => {
  const control = controls(partyLabels(t), form)
  return (
    <>
      <Field {...control('name')} required maxlength={70} />
      <Field {...control('street')} maxlength={70} />
      <Field {...control('postalCode')} maxlength={16} />
      <Field {...control('city')} maxlength={35} />
      <Field {...control('country')} hint={t(m.party_country_hint)} maxlength={2} />
      <Field {...control('vatId')} hint={t(m.party_vat_hint)} maxlength={20} />
    </>
  )
}
