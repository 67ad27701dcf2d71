/** The fields of a party that documents name: a merchant's company, or a partner. */
import type { ErrorDetail } from '../http/errors.ts'
import type { Fields } from '../http/validate.ts'
import { Field } from './parts.tsx'

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
export const PartyFields = ({ fields, errors }: { fields: Fields; errors: ErrorDetail[] | undefined }) => (
  <>
    <Field
      label={PARTY_LABELS.name}
      name="name"
      value={fields.name}
      errors={errors}
      required
      maxlength={70}
    />
    <Field label={PARTY_LABELS.street} name="street" value={fields.street} errors={errors} maxlength={70} />
    <Field
      label={PARTY_LABELS.postalCode}
      name="postalCode"
      value={fields.postalCode}
      errors={errors}
      maxlength={16}
    />
    <Field label={PARTY_LABELS.city} name="city" value={fields.city} errors={errors} maxlength={35} />
    <Field
      label={PARTY_LABELS.country}
      name="country"
      hint="Its code of two letters, such as DE."
      value={fields.country}
      errors={errors}
      maxlength={2}
    />
    <Field
      label={PARTY_LABELS.vatId}
      name="vatId"
      hint="If there is one."
      value={fields.vatId}
      errors={errors}
      maxlength={20}
    />
  </>
)
