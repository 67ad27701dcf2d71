/** The fields of a party that documents name: a merchant's company, or a partner. */
import { controls, Field, type FormState } from './fields.tsx'

/** Labels by field name. */
export const PARTY_LABELS = {
  name: 'Name',
  street: 'Street and number',
  postalCode: 'Postal code',
  city: 'City',
  country: 'Country',
  vatId: 'VAT ID',
}

/** Name, address and VAT id. */
export const PartyFields = (form: FormState) => {
  const control = controls(PARTY_LABELS, form)
  return (
    <>
      <Field {...control('name')} required maxlength={70} />
      <Field {...control('street')} maxlength={70} />
      <Field {...control('postalCode')} maxlength={16} />
      <Field {...control('city')} maxlength={35} />
      <Field {...control('country')} hint="Its code of two letters, such as DE." maxlength={2} />
      <Field {...control('vatId')} hint="If there is one." maxlength={20} />
    </>
  )
}
