import type { ErrorDetail } from '../../../lib/http/errors.ts'
import type { Fields } from '../../../lib/http/validate.ts'
import * as m from '../../../lib/languages/messages.ts'
import { Field } from '../../../lib/pages/forms/fields.tsx'
import { t } from '../../../lib/pages/layout/text.ts'
import { MAX_REASON_LENGTH } from '../../../lib/tracking/ledger/commissions.schemas.ts'

type Props = { label: string; id?: string; fields: Fields; errors: ErrorDetail[] | undefined }

/** Why a manager changes earnings by hand. */
export const ReasonField = ({ label, id, fields, errors }: Props) => (
  <Field
    label={label}
    name="reason"
    id={id}
    hint={t(m.commissions_partner_sees_it)}
    required
    maxlength={MAX_REASON_LENGTH}
    autocomplete="off"
    value={fields.reason}
    errors={errors}
  />
)
