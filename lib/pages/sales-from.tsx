/** The choice of who reports the sales that earn. */
import type { ErrorDetail } from '../http/errors.ts'
import type { SalesFrom } from '../purchases/processors.ts'
import { Select } from './fields.tsx'

export const SALES_FROM_LABEL = 'Sales are reported by'

const OPTIONS: { value: SalesFrom; label: string }[] = [
  { value: 'both', label: 'Stripe and your backend' },
  { value: 'stripe', label: 'Stripe only' },
  { value: 'api', label: 'Your backend only' },
]

type Props = { value: string | null | undefined; errors: ErrorDetail[] | undefined }

export const SalesFromSelect = ({ value, errors }: Props) => (
  <Select
    label={SALES_FROM_LABEL}
    name="salesFrom"
    hint="If your backend reports purchases by API that Stripe reports too, choose one of them. With both, a sale that looks like a purchase already reported by the other is held for your review."
    options={OPTIONS}
    value={value}
    errors={errors}
  />
)
