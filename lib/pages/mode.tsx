/** The choice of the payment processor's mode. */
import type { ErrorDetail } from '../http/errors.ts'
import type { Mode } from '../purchases/processors.ts'
import { Select } from './fields.tsx'

export const MODE_LABEL = 'Stripe mode'

const OPTIONS: { value: Mode; label: string }[] = [
  { value: 'live', label: 'Live mode' },
  { value: 'test', label: 'Test mode' },
]

type Props = { value: string | null | undefined; errors: ErrorDetail[] | undefined }

export const ModeSelect = ({ value, errors }: Props) => (
  <Select
    label={MODE_LABEL}
    name="mode"
    hint="Payments, events and keys of the other mode are refused. The mode is final once a payment has counted: use another workspace for tests."
    options={OPTIONS}
    value={value}
    errors={errors}
  />
)
