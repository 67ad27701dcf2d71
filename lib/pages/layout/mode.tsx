/** The choice of the payment processor's mode. */
import type { ErrorDetail } from '../../http/errors.ts'
import type { Message } from '../../languages/message.ts'
import * as m from '../../languages/messages.ts'
import type { Mode } from '../../rules/purchases/processors.ts'
import { Select } from '../forms/fields.tsx'
import { t } from './text.ts'

export const MODE_LABEL = m.layout_stripe_mode

const OPTIONS: { value: Mode; label: Message }[] = [
  { value: 'live', label: m.layout_live_mode },
  { value: 'test', label: m.layout_test_mode_option },
]

type Props = { value: string | null | undefined; errors: ErrorDetail[] | undefined }

export const ModeSelect = ({ value, errors }: Props) => (
  <Select
    label={t(MODE_LABEL)}
    name="mode"
    hint={t(m.layout_mode_hint)}
    options={OPTIONS}
    value={value}
    errors={errors}
  />
)
