CREATE TABLE "ledger_days" (
	"account_id" uuid NOT NULL,
	"day" date NOT NULL,
	"endpoint" text NOT NULL,
	"key_id" uuid NOT NULL,
	"calls" integer NOT NULL,
	"credits" bigint NOT NULL,
	"last_at" timestamp with time zone NOT NULL,
	CONSTRAINT "ledger_days_account_id_day_endpoint_key_id_pk" PRIMARY KEY("account_id","day","endpoint","key_id")
);
--> statement-breakpoint
CREATE TABLE "ledger_folds" (
	"account_id" uuid PRIMARY KEY NOT NULL,
	"sequence" bigint NOT NULL,
	"balance" bigint NOT NULL
);
