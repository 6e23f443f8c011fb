-- The ledger becomes a table of months. The table that was stays as it is and becomes the first of them: nothing is copied, and no
-- index is made. Before it, `src/database/ledger-months.ts` has checked its rows without a lock that charges wait for.
ALTER SEQUENCE "ledger_sequence_seq" OWNED BY NONE;--> statement-breakpoint
DROP TRIGGER IF EXISTS "ledger_stands" ON "ledger";--> statement-breakpoint
DROP TRIGGER IF EXISTS "ledger_entry_stands" ON "ledger";--> statement-breakpoint
ALTER TABLE "ledger" RENAME TO "ledger_first";--> statement-breakpoint
ALTER TABLE "ledger_first" RENAME CONSTRAINT "ledger_account_id_sequence_pk" TO "ledger_first_pkey";--> statement-breakpoint
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
ALTER SEQUENCE "ledger_sequence_seq" OWNED BY "ledger"."sequence";--> statement-breakpoint
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
-- Entries that no month has: those of a clock that went wrong.
CREATE TABLE "ledger_default" PARTITION OF "ledger" (PRIMARY KEY ("account_id", "sequence")) DEFAULT;--> statement-breakpoint
CREATE TABLE "ledger_archives" (
	"until" timestamp with time zone PRIMARY KEY NOT NULL,
	"file" text NOT NULL,
	"entries" bigint NOT NULL,
	"credits" bigint NOT NULL,
	"sha256" text NOT NULL,
	"archived_at" timestamp with time zone NOT NULL
);
