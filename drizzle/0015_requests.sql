CREATE TABLE "balance_thresholds" (
	"account_id" uuid NOT NULL,
	"credits" integer NOT NULL,
	"mails_members" boolean NOT NULL,
	"crossed_at" timestamp with time zone,
	CONSTRAINT "balance_thresholds_account_id_credits_pk" PRIMARY KEY("account_id","credits"),
	CONSTRAINT "balance_thresholds_credits" CHECK ("balance_thresholds"."credits" > 0)
);
--> statement-breakpoint
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
ALTER TABLE "balance_thresholds" ADD CONSTRAINT "balance_thresholds_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "request_days_day" ON "request_days" USING btree ("day");