/** A program's payout schedule as text, and as form fields. */
import type { ErrorDetail } from '../http/errors.ts'
import type { Fields } from '../http/validate.ts'
import {
  DEFAULT_DAYS,
  LAST_DAY,
  nextOccurrence,
  type PayoutSchedule,
  type Schedule,
} from '../payouts/schedules.ts'
import { Field, Select } from './fields.tsx'
import { numberIn } from './read-reward.ts'

const SCHEDULES = [
  { value: 'manual', label: 'Manual' },
  { value: 'weekly', label: 'Weekly' },
  { value: 'twice_monthly', label: 'Twice a month' },
  { value: 'monthly', label: 'Monthly' },
] as const satisfies { value: PayoutSchedule; label: string }[]

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']
const WEEKDAY_OPTIONS = WEEKDAYS.map((label, index) => ({ value: String(index + 1), label }))

const SUFFIXES = new Intl.PluralRules('en', { type: 'ordinal' })
const SUFFIX: Partial<Record<Intl.LDMLPluralRule, string>> = { one: 'st', two: 'nd', few: 'rd' }

/** A day of the month, such as "1st" or "last day". */
const monthDay = (day: number): string =>
  day === LAST_DAY ? 'last day' : `${day}${SUFFIX[SUFFIXES.select(day)] ?? 'th'}`

const MONTH_DAY_OPTIONS = [...Array.from({ length: 28 }, (_, index) => index + 1), LAST_DAY].map((day) => ({
  value: String(day),
  label: day === LAST_DAY ? 'Last day of the month' : monthDay(day),
}))

/** The labels of a schedule's fields. */
export const SCHEDULE_LABELS = {
  payoutSchedule: 'Payout schedule',
  payoutDays: 'Payout days',
  reviewDays: 'Review period (days)',
}

/** A schedule as form fields. `payoutDay` and `secondPayoutDay` are days of the month. */
export const scheduleFields = ({ payoutSchedule, payoutDays: [first, second] }: Schedule): Fields => ({
  payoutSchedule,
  ...(first !== undefined && {
    [payoutSchedule === 'weekly' ? 'payoutWeekday' : 'payoutDay']: String(first),
  }),
  ...(second !== undefined && { secondPayoutDay: String(second) }),
})

/** The fields that hold a schedule's days. A Map, because a browser may send `__proto__` as the schedule. */
const DAY_FIELDS = new Map([
  ['weekly', ['payoutWeekday']],
  ['monthly', ['payoutDay']],
  ['twice_monthly', ['payoutDay', 'secondPayoutDay']],
])

/** The fields of the chosen schedule as API input. */
export const readSchedule = (fields: Fields) => {
  const { payoutSchedule } = fields
  const names = DAY_FIELDS.get(payoutSchedule ?? '')
  const payoutDays = names?.flatMap((name) => numberIn(fields, name) ?? [])
  return { payoutSchedule, payoutDays: payoutDays?.length ? payoutDays : null }
}

/** The inputs for a schedule. The stylesheet shows the days of the selected one only. */
export const ScheduleInputs = ({ fields, errors }: { fields: Fields; errors: ErrorDetail[] | undefined }) => {
  const [first, second] = DEFAULT_DAYS.twice_monthly.map(String)
  const problem = errors?.find(({ path }) => path === 'payoutDays')
  return (
    <fieldset class="schedule" id="payoutDays">
      <legend>Payout schedule</legend>
      <Select
        label="Payouts"
        name="payoutSchedule"
        hint="Scheduled payouts use Stripe and start at midnight UTC. Managers can also pay at any time."
        options={SCHEDULES}
        value={fields.payoutSchedule ?? 'manual'}
        errors={errors}
      />
      {problem && <p class="error">{problem.message}</p>}
      <div data-schedule="weekly">
        <Select
          label="Weekday"
          name="payoutWeekday"
          options={WEEKDAY_OPTIONS}
          value={fields.payoutWeekday ?? '1'}
        />
      </div>
      <div data-schedule="month">
        <Select label="Day" name="payoutDay" options={MONTH_DAY_OPTIONS} value={fields.payoutDay ?? first} />
      </div>
      <div data-schedule="twice">
        <Select
          label="Second day"
          name="secondPayoutDay"
          options={MONTH_DAY_OPTIONS}
          value={fields.secondPayoutDay ?? second}
        />
      </div>
      <div data-schedule="any">
        <Field
          label={SCHEDULE_LABELS.reviewDays}
          name="reviewDays"
          hint="A scheduled run is mailed to managers, and sent after this many days unless one of them stops it. 0 sends it at once."
          inputmode="numeric"
          autocomplete="off"
          value={fields.reviewDays ?? '0'}
          errors={errors}
        />
      </div>
    </fieldset>
  )
}

/** When a schedule pays, such as "On the 1st and 15th of each month". */
const scheduleWords = ({ payoutSchedule, payoutDays }: Schedule): string => {
  if (payoutSchedule === 'manual') return 'Manual'
  if (payoutSchedule === 'weekly') return `Every ${WEEKDAYS[(payoutDays[0] ?? 1) - 1]}`
  return `On the ${payoutDays.map(monthDay).join(' and ')} of each month`
}

/** A program's payout schedule, such as "Every Monday, next on 2026-11-23". */
export const describeSchedule = (schedule: Schedule, now: Date): string => {
  const next = nextOccurrence(schedule, now)
  const words = scheduleWords(schedule)
  return next ? `${words}, next on ${next.toISOString().slice(0, 10)}` : words
}
