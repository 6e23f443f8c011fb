-- The tables that came after version 1.6.0. Unreleased builds recorded them as 24 migrations, 0006 to 0029.

-- Charges: types between the steps of the meter (`functions/money/charge.sql`), repeats, and limits of keys.

-- The person and idempotency key of one call, as they stand when the call is decided.
create type meter_facts as (
  person_exists boolean,
  has_channels boolean,          -- the person of a reveal has a private channel
  contact json,                  -- the person of a reveal, as the answer shows them
  was_revealed boolean,
  first_charged_at timestamptz,  -- charge that bound the idempotency key
  repeats integer,
  is_repeat boolean              -- path and query are those of that call
);
--> statement-breakpoint
-- The decision about one call.
create type meter_decision as (
  outcome text, charged integer, required integer, balance double precision, tier text,
  rate_limit integer, rate_remaining integer, rate_reset_ms double precision, reveal_reset_ms double precision,
  unlocks uuid,                  -- the contact that the call reveals for the first time
  unlock_count integer           -- how many contacts the account had unlocked before
);
--> statement-breakpoint
ALTER TABLE "idempotency_keys" ADD COLUMN "repeats" integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
CREATE TABLE "key_caps" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"account_id" uuid NOT NULL,
	"credits" integer NOT NULL,
	"period" text NOT NULL,
	"period_started_at" timestamp with time zone,
	"spent" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "key_caps_credits" CHECK ("key_caps"."credits" > 0),
	CONSTRAINT "key_caps_period" CHECK ("key_caps"."period" in ('day', 'month')),
	CONSTRAINT "key_caps_spent" CHECK ("key_caps"."spent" between 0 and "key_caps"."credits")
);
--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "expires_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "cap_id" uuid;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "networks" text[];--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_cap_id_key_caps_id_fk" FOREIGN KEY ("cap_id") REFERENCES "public"."key_caps"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
-- Charges update a cap over and over: room on the page keeps those updates in place.
ALTER TABLE "key_caps" SET (fillfactor = 50);
--> statement-breakpoint
-- The ledger: a table of months. The table that was stays as it is and becomes the first of them: nothing is copied, and no
-- index is made. Before it, `src/database/ledger-months.ts` has checked its rows without a lock that charges wait for.
DROP INDEX "ledger_time";
--> statement-breakpoint
ALTER SEQUENCE "ledger_sequence_seq" OWNED BY NONE;--> statement-breakpoint
DROP TRIGGER IF EXISTS "ledger_stands" ON "ledger";--> statement-breakpoint
ALTER TABLE "ledger" RENAME TO "ledger_first";--> statement-breakpoint
ALTER TABLE "ledger_first" RENAME CONSTRAINT "ledger_account_id_sequence_pk" TO "ledger_first_pkey";
--> statement-breakpoint
-- Columns of 8 bytes, 16 and 4, then texts: no bytes between them.
CREATE TABLE "ledger" (
	"sequence" bigint DEFAULT nextval('ledger_sequence_seq') NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"balance_after" bigint NOT NULL,
	"account_id" uuid NOT NULL,
	"key_id" uuid,
	"credits" integer NOT NULL,
	"kind" text NOT NULL,
	"request_id" text,
	"endpoint" text,
	"person_id" uuid,
	"grant_id" uuid,
	CONSTRAINT "ledger_kinds" CHECK ("ledger"."kind" in ('charge', 'grant', 'expiry', 'reversal', 'carried'))
) PARTITION BY RANGE ("at");
--> statement-breakpoint
ALTER SEQUENCE "ledger_sequence_seq" OWNED BY "ledger"."sequence";
--> statement-breakpoint
DO $ledger$
DECLARE
  v_until timestamptz;
BEGIN
  IF NOT EXISTS (SELECT FROM "ledger_first") THEN
    DROP TABLE "ledger_first";
    CREATE TABLE "ledger_first" PARTITION OF "ledger" (PRIMARY KEY ("account_id", "sequence"))
      FOR VALUES FROM (MINVALUE) TO ('2026-11-01 00:00:00+00');
    RETURN;
  END IF;
  SELECT substring(pg_get_constraintdef(oid) from '''([^'']+)''') INTO v_until
    FROM pg_constraint WHERE conrelid = '"ledger_first"'::regclass AND conname = 'ledger_until';
  IF v_until IS NULL THEN
    SELECT (date_trunc('month', greatest(max("at"), now()) AT TIME ZONE 'UTC') + interval '1 month') AT TIME ZONE 'UTC' INTO v_until
      FROM "ledger_first";
    ALTER TABLE "ledger_first" ADD CONSTRAINT "ledger_kinds" CHECK ("kind" in ('charge', 'grant', 'expiry', 'reversal', 'carried'));
  END IF;
  -- Does nothing where it was checked before.
  ALTER TABLE "ledger_first" VALIDATE CONSTRAINT "ledger_kinds";
  EXECUTE format('ALTER TABLE "ledger" ATTACH PARTITION "ledger_first" FOR VALUES FROM (MINVALUE) TO (%L)', v_until);
  ALTER TABLE "ledger_first" DROP CONSTRAINT IF EXISTS "ledger_until", DROP CONSTRAINT "ledger_kind";
END $ledger$;
--> statement-breakpoint
-- Entries outside of all months, as a clock that goes wrong writes them.
CREATE TABLE "ledger_default" PARTITION OF "ledger" (PRIMARY KEY ("account_id", "sequence")) DEFAULT;
--> statement-breakpoint
CREATE TABLE "ledger_archives" (
	"until" timestamp with time zone PRIMARY KEY NOT NULL,
	"file" text NOT NULL,
	"entries" bigint NOT NULL,
	"credits" bigint NOT NULL,
	"sha256" text NOT NULL,
	"archived_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
-- Sums of the ledger by day: of an account, and of all accounts.
CREATE TABLE "ledger_days" (
	"account_id" uuid NOT NULL,
	"day" date NOT NULL,
	"endpoint" text NOT NULL,
	"key_id" uuid NOT NULL,
	"calls" integer NOT NULL,
	"credits" bigint NOT NULL,
	"last_at" timestamp with time zone NOT NULL,
	"first_sequence" bigint NOT NULL,
	"last_sequence" bigint NOT NULL,
	CONSTRAINT "ledger_days_account_id_day_endpoint_key_id_pk" PRIMARY KEY("account_id","day","endpoint","key_id")
);
--> statement-breakpoint
CREATE TABLE "ledger_folds" (
	"account_id" uuid PRIMARY KEY NOT NULL,
	"sequence" bigint NOT NULL,
	"balance" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "service_days" (
	"day" date PRIMARY KEY NOT NULL,
	"sold" bigint DEFAULT 0 NOT NULL,
	"given_free" bigint DEFAULT 0 NOT NULL,
	"spent" bigint DEFAULT 0 NOT NULL,
	"charged" bigint DEFAULT 0 NOT NULL,
	"free" bigint DEFAULT 0 NOT NULL,
	"refused" bigint DEFAULT 0 NOT NULL,
	"failed" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "service_folds" (
	"account_id" uuid PRIMARY KEY NOT NULL,
	"sequence" bigint NOT NULL,
	"version" bigint NOT NULL,
	"balance" bigint NOT NULL
);
--> statement-breakpoint
-- Accounts: the log of requests, thresholds of balances, notes and suspensions.
CREATE TABLE "request_chunks" (
	"account_id" uuid NOT NULL,
	"sequence" bigserial NOT NULL,
	"key_id" uuid NOT NULL,
	"began_at" timestamp with time zone NOT NULL,
	"charged" integer NOT NULL,
	"free" integer NOT NULL,
	"refused" integer NOT NULL,
	"failed" integer NOT NULL,
	"calls" text NOT NULL,
	CONSTRAINT "request_chunks_account_id_sequence_pk" PRIMARY KEY("account_id","sequence")
);
--> statement-breakpoint
CREATE TABLE "request_days" (
	"account_id" uuid NOT NULL,
	"day" date NOT NULL,
	"charged" integer NOT NULL,
	"free" integer NOT NULL,
	"refused" integer NOT NULL,
	"failed" integer NOT NULL,
	CONSTRAINT "request_days_account_id_day_pk" PRIMARY KEY("account_id","day")
);
--> statement-breakpoint
CREATE TABLE "balance_thresholds" (
	"account_id" uuid NOT NULL,
	"credits" integer NOT NULL,
	"mails_members" boolean NOT NULL,
	"crossed_at" timestamp with time zone,
	CONSTRAINT "balance_thresholds_account_id_credits_pk" PRIMARY KEY("account_id","credits"),
	CONSTRAINT "balance_thresholds_credits" CHECK ("balance_thresholds"."credits" > 0)
);
--> statement-breakpoint
ALTER TABLE "balance_thresholds" ADD CONSTRAINT "balance_thresholds_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "request_days_day" ON "request_days" USING btree ("day");
--> statement-breakpoint
CREATE TABLE "account_notes" (
	"sequence" bigserial PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"who" text NOT NULL,
	"text" text NOT NULL,
	CONSTRAINT "account_notes_text" CHECK (char_length("account_notes"."text") between 1 and 2000)
);
--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "suspended_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "suspension_reason" text;--> statement-breakpoint
CREATE INDEX "account_notes_account" ON "account_notes" USING btree ("account_id","sequence");--> statement-breakpoint
ALTER TABLE "accounts" ADD CONSTRAINT "accounts_suspension" CHECK (("accounts"."suspended_at" is null) = ("accounts"."suspension_reason" is null));
--> statement-breakpoint
-- Payments: refunds and disputes, and the grants that they take back.
CREATE TABLE "payment_claims" (
	"id" text PRIMARY KEY NOT NULL,
	"reference" text NOT NULL,
	"charged" bigint NOT NULL,
	"amount" bigint NOT NULL,
	"stage" smallint NOT NULL,
	"at" timestamp with time zone NOT NULL,
	CONSTRAINT "payment_claims_amount" CHECK ("payment_claims"."charged" > 0 and "payment_claims"."amount" >= 0),
	CONSTRAINT "payment_claims_stage" CHECK ("payment_claims"."stage" in (0, 1, 2))
);
--> statement-breakpoint
CREATE TABLE "payment_grants" (
	"grant_id" uuid PRIMARY KEY NOT NULL,
	"payment_id" uuid NOT NULL,
	"taken_back" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
ALTER TABLE "payment_events" ADD COLUMN "outcome" text;--> statement-breakpoint
ALTER TABLE "payment_events" ADD COLUMN "reason" text;--> statement-breakpoint
ALTER TABLE "payment_events" ADD COLUMN "is_alert" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "payment_events" ADD COLUMN "dismissed_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "payment_events" ADD COLUMN "payment_id" uuid;--> statement-breakpoint
ALTER TABLE "payments" ADD COLUMN "refused_by" text;--> statement-breakpoint
ALTER TABLE "payments" ADD COLUMN "checkout" text;--> statement-breakpoint
ALTER TABLE "payments" ADD COLUMN "charged" bigint;--> statement-breakpoint
ALTER TABLE "payments" ADD COLUMN "reversed" bigint;--> statement-breakpoint
ALTER TABLE "payments" ADD COLUMN "refund" text;--> statement-breakpoint
ALTER TABLE "payments" ADD COLUMN "refund_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "payments" ADD COLUMN "refund_note" text;--> statement-breakpoint
ALTER TABLE "payments" ADD COLUMN "refund_tries" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "payment_grants" ADD CONSTRAINT "payment_grants_grant_id_credit_grants_id_fk" FOREIGN KEY ("grant_id") REFERENCES "public"."credit_grants"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "payment_grants" ADD CONSTRAINT "payment_grants_payment_id_payments_id_fk" FOREIGN KEY ("payment_id") REFERENCES "public"."payments"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "payment_claims_reference" ON "payment_claims" USING btree ("reference");--> statement-breakpoint
CREATE INDEX "payment_grants_payment" ON "payment_grants" USING btree ("payment_id");--> statement-breakpoint
CREATE INDEX "payment_events_waiting" ON "payment_events" USING btree ("at") WHERE "payment_events"."outcome" = 'waiting' and "payment_events"."dismissed_at" is null;--> statement-breakpoint
ALTER TABLE "payment_events" ADD CONSTRAINT "payment_events_outcome" CHECK ("payment_events"."outcome" in ('applied', 'ignored', 'waiting'));--> statement-breakpoint
ALTER TABLE "payments" ADD CONSTRAINT "payments_reversed" CHECK ("payments"."reversed" between 0 and "payments"."charged");--> statement-breakpoint
CREATE INDEX "payment_events_payment" ON "payment_events" USING btree ("payment_id","at");--> statement-breakpoint
ALTER TABLE "payments" ADD CONSTRAINT "payments_refund" CHECK ("payments"."refund" in ('asked', 'begun', 'refused', 'unknown'));
--> statement-breakpoint
-- The grants of payments that were accepted before: each was made a moment before its payment was marked as accepted.
INSERT INTO "payment_grants" ("grant_id", "payment_id")
SELECT g.id, p.id
  FROM payments p
 CROSS JOIN LATERAL (
       SELECT g.id FROM credit_grants g
        WHERE g.account_id = p.account_id AND g.source = p.kind AND g.amount = p.credits
          AND g.created_at BETWEEN p.decided_at - interval '1 minute' AND p.decided_at
        ORDER BY g.created_at DESC LIMIT 1) g
 WHERE p.state = 'accepted'
ON CONFLICT DO NOTHING;
--> statement-breakpoint
-- The grants of referrals on both sides, with the guest's first payment.
INSERT INTO "payment_grants" ("grant_id", "payment_id")
SELECT g.id, p.id
  FROM referrals r
 CROSS JOIN LATERAL (
       SELECT p.id FROM payments p
        WHERE p.account_id = r.account_id AND p.state = 'accepted' ORDER BY p.decided_at LIMIT 1) p
 CROSS JOIN LATERAL (
       (SELECT g.id FROM credit_grants g
         WHERE g.account_id = r.account_id AND g.source = 'referral' AND g.created_at >= r.rewarded_at
         ORDER BY g.created_at LIMIT 1)
       UNION ALL
       (SELECT g.id FROM credit_grants g
         WHERE g.account_id = r.referrer_id AND g.source = 'referral'
           AND g.created_at BETWEEN r.rewarded_at AND r.rewarded_at + interval '1 minute'
         ORDER BY g.created_at LIMIT 1)) g
ON CONFLICT DO NOTHING;
--> statement-breakpoint
-- Newcomers, and referrals that are due.
CREATE TABLE "newcomers" (
	"account_id" uuid PRIMARY KEY NOT NULL,
	"mailbox" text NOT NULL,
	"trial_credits" integer NOT NULL,
	"trial_lasts" interval NOT NULL,
	"welcomed_at" timestamp with time zone,
	"refusal" text,
	CONSTRAINT "newcomers_refusal" CHECK ("newcomers"."refusal" in ('mailbox', 'throwaway'))
);
--> statement-breakpoint
ALTER TABLE "referrals" ADD COLUMN "paid_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "referrals" ADD COLUMN "credits" integer;--> statement-breakpoint
CREATE UNIQUE INDEX "newcomers_mailbox" ON "newcomers" USING btree ("mailbox") WHERE "newcomers"."welcomed_at" is not null;--> statement-breakpoint
CREATE INDEX "referrals_due" ON "referrals" USING btree ("paid_at") WHERE "referrals"."rewarded_at" is null;
--> statement-breakpoint
-- Existing accounts have had their trial. The oldest of a mailbox is its person's first. Gmail is the only provider whose
-- rules for mailboxes (`src/people/users/mailbox.ts`) matter here.
insert into newcomers (account_id, mailbox, trial_credits, trial_lasts, welcomed_at, refusal)
select account_id, encode(sha256(convert_to(mailbox, 'UTF8')), 'hex'), 0, interval '0',
       case when place = 1 then created_at end, case when place > 1 then 'mailbox' end
  from (
    select m.account_id, u.created_at, address.mailbox,
           row_number() over (partition by address.mailbox order by u.created_at, u.id) as place
      from members m
      join users u on u.id = m.user_id
     cross join lateral (
            select coalesce(nullif(split_part(split_part(u.email, '@', 1), '+', 1), ''), split_part(u.email, '@', 1)) as local,
                   split_part(u.email, '@', 2) as domain) part
     cross join lateral (
            select case when part.domain in ('gmail.com', 'googlemail.com')
                        then replace(part.local, '.', '') || '@gmail.com'
                        else part.local || '@' || part.domain end as mailbox) address
     where m.role = 'owner'
  ) owners;
--> statement-breakpoint
-- The journal of changes, redirects of merged records, and pictures.
CREATE TABLE "journal" (
	"change" bigserial PRIMARY KEY NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"who" text NOT NULL,
	"what" text NOT NULL,
	"kind" text,
	"id" uuid,
	"undoes" bigint,
	"undone_by" bigint
);
--> statement-breakpoint
CREATE TABLE "journal_entries" (
	"change" bigint NOT NULL,
	"sequence" bigserial NOT NULL,
	"table_name" text NOT NULL,
	"row_id" uuid NOT NULL,
	"record_id" uuid NOT NULL,
	"before" jsonb,
	CONSTRAINT "journal_entries_change_sequence_pk" PRIMARY KEY("change","sequence")
);
--> statement-breakpoint
CREATE TABLE "journal_created" (
	"change" bigint NOT NULL,
	"sequence" bigint DEFAULT nextval('journal_entries_sequence_seq') NOT NULL,
	"table_name" text NOT NULL,
	"row_ids" uuid[] NOT NULL,
	"record_ids" uuid[] NOT NULL,
	CONSTRAINT "journal_created_change_sequence_pk" PRIMARY KEY("change","sequence")
);
--> statement-breakpoint
CREATE INDEX "journal_age" ON "journal" USING btree ("at");--> statement-breakpoint
CREATE INDEX "journal_entries_record" ON "journal_entries" USING btree ("record_id");
--> statement-breakpoint
CREATE TABLE "redirects" (
	"id" uuid PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"slug" text,
	"external_id" text,
	"to_id" uuid NOT NULL
);
--> statement-breakpoint
CREATE INDEX "redirects_slug" ON "redirects" USING btree ("slug");--> statement-breakpoint
CREATE INDEX "redirects_external_id" ON "redirects" USING btree ("external_id");--> statement-breakpoint
CREATE INDEX "redirects_to" ON "redirects" USING btree ("to_id");
--> statement-breakpoint
CREATE TABLE "pictures" (
	"record_id" uuid PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"url" text NOT NULL,
	"bytes" "bytea",
	"version" integer,
	"etag" text,
	"last_modified" text,
	"tried_at" timestamp with time zone NOT NULL,
	"error" text,
	"failures" integer DEFAULT 0 NOT NULL,
	"next_at" timestamp with time zone,
	CONSTRAINT "pictures_kind" CHECK ("pictures"."kind" in ('company', 'person')),
	CONSTRAINT "pictures_bytes" CHECK (("pictures"."bytes" is null) = ("pictures"."version" is null)),
	CONSTRAINT "pictures_size" CHECK (octet_length("pictures"."bytes") <= 131072),
	CONSTRAINT "pictures_error" CHECK (("pictures"."error" is null) = ("pictures"."next_at" is null))
);
--> statement-breakpoint
-- Imports: sources, pins, and files that operators give.
CREATE TABLE "import_runs" (
	"run" bigserial PRIMARY KEY NOT NULL,
	"source" text NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"ended_at" timestamp with time zone,
	"change" bigint NOT NULL,
	"files" jsonb NOT NULL,
	"synced" text[] DEFAULT '{}' NOT NULL,
	"is_undone" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE TABLE "record_pins" (
	"sequence" bigserial PRIMARY KEY NOT NULL,
	"record_id" uuid NOT NULL,
	"field" text NOT NULL,
	"change" bigint NOT NULL,
	"is_undone" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE TABLE "record_sources" (
	"record_id" uuid NOT NULL,
	"source" text NOT NULL,
	"kind" text NOT NULL,
	"first_run" bigint NOT NULL,
	"run" bigint NOT NULL,
	CONSTRAINT "record_sources_record_id_source_pk" PRIMARY KEY("record_id","source")
);
--> statement-breakpoint
CREATE INDEX "import_runs_source" ON "import_runs" USING btree ("source","run");--> statement-breakpoint
CREATE INDEX "record_pins_record" ON "record_pins" USING btree ("record_id");--> statement-breakpoint
CREATE INDEX "record_sources_source" ON "record_sources" USING btree ("source","kind");
--> statement-breakpoint
CREATE TABLE "import_jobs" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"kind" text NOT NULL,
	"file" text NOT NULL,
	"format" text,
	"bytes" bigint DEFAULT 0 NOT NULL,
	"state" text DEFAULT 'uploading' NOT NULL,
	"has_file" boolean DEFAULT true NOT NULL,
	"settings" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"version" integer DEFAULT 0 NOT NULL,
	"preview" jsonb,
	"preview_version" integer,
	"result" jsonb,
	"progress" jsonb,
	"work" text,
	"reason" text,
	"worker" uuid,
	"beat_at" timestamp with time zone NOT NULL,
	"is_cancelled" boolean DEFAULT false NOT NULL,
	"change" bigint,
	"added_by" jsonb NOT NULL,
	"run_by" jsonb,
	"added_at" timestamp with time zone NOT NULL,
	"begun_at" timestamp with time zone,
	"ended_at" timestamp with time zone,
	"undone_at" timestamp with time zone,
	"undo_by" jsonb,
	CONSTRAINT "import_jobs_kind" CHECK ("import_jobs"."kind" in ('companies', 'people', 'rounds')),
	CONSTRAINT "import_jobs_state" CHECK ("import_jobs"."state" in ('uploading', 'waiting', 'checking', 'checked', 'importing', 'ended', 'undoing', 'stopped')),
	CONSTRAINT "import_jobs_work" CHECK ("import_jobs"."work" in ('check', 'import', 'undo'))
);
--> statement-breakpoint
CREATE TABLE "import_job_chunks" (
	"job_id" uuid NOT NULL,
	"place" integer NOT NULL,
	"bytes" "bytea" NOT NULL,
	CONSTRAINT "import_job_chunks_job_id_place_pk" PRIMARY KEY("job_id","place"),
	CONSTRAINT "import_job_chunks_size" CHECK (octet_length("import_job_chunks"."bytes") between 1 and 1048576)
);
--> statement-breakpoint
CREATE TABLE "import_job_corrections" (
	"job_id" uuid NOT NULL,
	"row" integer NOT NULL,
	"field" text NOT NULL,
	"value" text NOT NULL,
	CONSTRAINT "import_job_corrections_job_id_row_field_pk" PRIMARY KEY("job_id","row","field")
);
--> statement-breakpoint
CREATE TABLE "import_job_findings" (
	"job_id" uuid NOT NULL,
	"place" integer NOT NULL,
	"row" integer NOT NULL,
	"line" integer,
	"severity" text NOT NULL,
	"field" text,
	"column_name" text,
	"reason" text NOT NULL,
	"value" text,
	"label" text,
	CONSTRAINT "import_job_findings_job_id_place_pk" PRIMARY KEY("job_id","place"),
	CONSTRAINT "import_job_findings_severity" CHECK ("import_job_findings"."severity" in ('refused', 'warning'))
);
--> statement-breakpoint
ALTER TABLE "import_job_chunks" ADD CONSTRAINT "import_job_chunks_job_id_import_jobs_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."import_jobs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "import_job_corrections" ADD CONSTRAINT "import_job_corrections_job_id_import_jobs_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."import_jobs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "import_job_findings" ADD CONSTRAINT "import_job_findings_job_id_import_jobs_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."import_jobs"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
-- Packing a piece would hold up the one session of an embedded database.
ALTER TABLE "import_job_chunks" ALTER COLUMN "bytes" SET STORAGE EXTERNAL;
--> statement-breakpoint
-- Privacy: erasures, and requests of people.
CREATE TABLE "erased_marks" (
	"hash" "bytea" PRIMARY KEY NOT NULL,
	"erasure" uuid NOT NULL
);
--> statement-breakpoint
CREATE TABLE "erasure_keys" (
	"id" uuid PRIMARY KEY NOT NULL,
	"inner_pad" "bytea" NOT NULL,
	"outer_pad" "bytea" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "erasures" (
	"sequence" bigserial PRIMARY KEY NOT NULL,
	"id" uuid NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"position" bigint NOT NULL,
	CONSTRAINT "erasures_id_unique" UNIQUE("id")
);
--> statement-breakpoint
CREATE INDEX "companies_domain" ON "companies" USING btree ("domain");--> statement-breakpoint
CREATE INDEX "unlocks_person" ON "unlocks" USING btree ("person_id");
--> statement-breakpoint
CREATE TABLE "privacy_requests" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"kind" text NOT NULL,
	"state" text NOT NULL,
	"email" text,
	"person" text,
	"details" text,
	"hash" text,
	"asked_at" timestamp with time zone NOT NULL,
	"confirmed_at" timestamp with time zone,
	"closed_at" timestamp with time zone,
	"reason" text,
	CONSTRAINT "privacy_requests_hash_unique" UNIQUE("hash"),
	CONSTRAINT "privacy_requests_kind" CHECK ("privacy_requests"."kind" in ('show', 'correct', 'remove')),
	CONSTRAINT "privacy_requests_state" CHECK ("privacy_requests"."state" in ('unconfirmed', 'open', 'done', 'refused')),
	CONSTRAINT "privacy_requests_email" CHECK ("privacy_requests"."email" = lower("privacy_requests"."email")),
	CONSTRAINT "privacy_requests_closed" CHECK (("privacy_requests"."closed_at" is not null) = ("privacy_requests"."state" in ('done', 'refused')) and ("privacy_requests"."closed_at" is null or num_nonnulls("privacy_requests"."email", "privacy_requests"."person", "privacy_requests"."details", "privacy_requests"."hash") = 0))
);
--> statement-breakpoint
CREATE INDEX "privacy_requests_state" ON "privacy_requests" USING btree ("state","asked_at");
--> statement-breakpoint
-- Notes, lists and saved views of accounts.
CREATE TABLE "contact_notes" (
	"account_id" uuid NOT NULL,
	"person_id" uuid NOT NULL,
	"note" text NOT NULL,
	"tags" text[] DEFAULT '{}' NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	CONSTRAINT "contact_notes_account_id_person_id_pk" PRIMARY KEY("account_id","person_id")
);
--> statement-breakpoint
CREATE TABLE "record_lists" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"account_id" uuid NOT NULL,
	"name" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "list_entries" (
	"list_id" uuid NOT NULL,
	"record_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"added_at" timestamp with time zone NOT NULL,
	CONSTRAINT "list_entries_list_id_record_id_pk" PRIMARY KEY("list_id","record_id"),
	CONSTRAINT "list_entries_kind" CHECK ("list_entries"."kind" in ('person', 'company'))
);
--> statement-breakpoint
ALTER TABLE "list_entries" ADD CONSTRAINT "list_entries_list_id_record_lists_id_fk" FOREIGN KEY ("list_id") REFERENCES "public"."record_lists"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "contact_notes_person" ON "contact_notes" USING btree ("person_id");--> statement-breakpoint
CREATE INDEX "list_entries_record" ON "list_entries" USING btree ("record_id");--> statement-breakpoint
CREATE UNIQUE INDEX "record_lists_name" ON "record_lists" USING btree ("account_id",lower("name"));
--> statement-breakpoint
CREATE TABLE "saved_views" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"account_id" uuid NOT NULL,
	"list" text NOT NULL,
	"name" text NOT NULL,
	"query" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX "saved_views_name" ON "saved_views" USING btree ("account_id","list",lower("name"));
--> statement-breakpoint
-- Second factors of people who sign in.
CREATE TABLE "second_factors" (
	"user_id" uuid PRIMARY KEY NOT NULL,
	"secret" text NOT NULL,
	"session_id" uuid NOT NULL,
	"begun_at" timestamp with time zone NOT NULL,
	"on_since" timestamp with time zone,
	"last_step" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "pending_sign_ins" (
	"hash" text PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"ends_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "recovery_codes" (
	"user_id" uuid NOT NULL,
	"hash" text NOT NULL,
	CONSTRAINT "recovery_codes_user_id_hash_pk" PRIMARY KEY("user_id","hash")
);
--> statement-breakpoint
ALTER TABLE "pending_sign_ins" ADD CONSTRAINT "pending_sign_ins_user_id_second_factors_user_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."second_factors"("user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "recovery_codes" ADD CONSTRAINT "recovery_codes_user_id_second_factors_user_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."second_factors"("user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "second_factors" ADD CONSTRAINT "second_factors_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "pending_sign_ins_user" ON "pending_sign_ins" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "pending_sign_ins_end" ON "pending_sign_ins" USING btree ("ends_at");
--> statement-breakpoint
-- Operators: the audit log, and the link of the first operator.
CREATE TABLE "audit_log" (
	"sequence" bigserial PRIMARY KEY NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"via" text NOT NULL,
	"user_id" uuid,
	"who" text NOT NULL,
	"address" text,
	"act" text NOT NULL,
	"account_id" uuid,
	"subjects" uuid[] DEFAULT '{}' NOT NULL,
	"before" jsonb,
	"after" jsonb,
	CONSTRAINT "audit_log_via" CHECK ("audit_log"."via" in ('command', 'page')),
	CONSTRAINT "audit_log_user" CHECK (("audit_log"."via" = 'page') = ("audit_log"."user_id" is not null))
);
--> statement-breakpoint
CREATE TABLE "operator_link" (
	"id" integer PRIMARY KEY DEFAULT 1 NOT NULL,
	"hash" text NOT NULL,
	"ends_at" timestamp with time zone NOT NULL,
	"taken_at" timestamp with time zone,
	CONSTRAINT "operator_link_one" CHECK ("operator_link"."id" = 1)
);
--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "operator_since" timestamp with time zone;--> statement-breakpoint
CREATE INDEX "audit_log_account" ON "audit_log" USING btree ("account_id","sequence");--> statement-breakpoint
CREATE INDEX "audit_log_user" ON "audit_log" USING btree ("user_id","sequence");--> statement-breakpoint
CREATE INDEX "audit_log_subjects" ON "audit_log" USING gin ("subjects");--> statement-breakpoint
CREATE INDEX "audit_log_who" ON "audit_log" USING btree ("who","sequence");
