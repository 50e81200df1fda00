import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/**
 * Renames awarded emoji from the names of gemoji 8.1 to those of GitLab. A few old names are new names of other emoji, so all rows
 * first get their new name with the prefix `=`.
 */
export const migration: Migration = {
  name: '0117_emoji_names',
  async up(db) {
    const newNames = new Map(
      RENAMED_EMOJI.trim()
        .split(/\s+/)
        .map((pair) => pair.split('=') as [string, string]),
    );
    const { rows } = await sql<{ name: string }>`select distinct name from award_emoji`.execute(db);
    for (const { name } of rows) {
      const newName = newNames.get(name);
      if (newName !== undefined)
        await sql`update award_emoji set name = ${`=${newName}`} where name = ${name}`.execute(db);
    }
    // Deletes renamed rows of users who have already awarded the same emoji by its new name.
    await sql`delete from award_emoji where name like '=%' and exists (
      select 1 from award_emoji as other where other.user_id = award_emoji.user_id
        and other.name = substr(award_emoji.name, 2)
        and coalesce(other.issue_id, 0) = coalesce(award_emoji.issue_id, 0)
        and coalesce(other.merge_request_id, 0) = coalesce(award_emoji.merge_request_id, 0)
        and coalesce(other.epic_id, 0) = coalesce(award_emoji.epic_id, 0)
        and coalesce(other.note_id, 0) = coalesce(award_emoji.note_id, 0))`.execute(db);
    await sql`update award_emoji set name = substr(name, 2) where name like '=%'`.execute(db);
  },
};

/** Pairs of an old and a new name. */
const RENAMED_EMOJI = `
1st_place_medal=first_place 2nd_place_medal=second_place 3rd_place_medal=third_place adult=person afghanistan=flag_af
aland_islands=flag_ax albania=flag_al algeria=flag_dz american_samoa=flag_as andorra=flag_ad angola=flag_ao
anguilla=flag_ai antarctica=flag_aq antigua_barbuda=flag_ag argentina=flag_ar armenia=flag_am
artificial_satellite=satellite_orbital aruba=flag_aw ascension_island=flag_ac atom_symbol=atom australia=flag_au
austria=flag_at azerbaijan=flag_az baguette_bread=french_bread bahamas=flag_bs bahrain=flag_bh balance_scale=scales
bald_man=man_bald bald_woman=woman_bald bangladesh=flag_bd barbados=flag_bb beach_umbrella=beach
bearded_person=person_beard belarus=flag_by belgium=flag_be belize=flag_bz bellhop_bell=bellhop benin=flag_bj
bermuda=flag_bm bhutan=flag_bt biking_man=man_biking biking_woman=woman_biking black_flag=flag_black
blond_haired_man=man_blond_hair blond_haired_person=person_with_blond_hair blond_haired_woman=woman_blond_hair
boat=sailboat bolivia=flag_bo bosnia_herzegovina=flag_ba botswana=flag_bw bouncing_ball_man=man_bouncing_ball
bouncing_ball_person=basketball_player bouncing_ball_woman=woman_bouncing_ball bouvet_island=flag_bv
bowing_man=man_bowing bowing_woman=woman_bowing brazil=flag_br bricks=brick british_indian_ocean_territory=flag_io
british_virgin_islands=flag_vg brunei=flag_bn building_construction=construction_site bulgaria=flag_bg
burkina_faso=flag_bf burundi=flag_bi business_suit_levitating=levitate call_me_hand=call_me cambodia=flag_kh
camera_flash=camera_with_flash cameroon=flag_cm canada=flag_ca canary_islands=flag_ic cape_verde=flag_cv car=red_car
card_file_box=card_box card_index_dividers=dividers caribbean_netherlands=flag_bq cartwheeling=cartwheel
cayman_islands=flag_ky central_african_republic=flag_cf ceuta_melilla=flag_ea chad=flag_td chile=flag_cl
christmas_island=flag_cx city_sunrise=city_sunset city_sunset=city_dusk clamp=compression climbing=person_climbing
climbing_man=man_climbing climbing_woman=woman_climbing clinking_glasses=champagne_glass clipperton_island=flag_cp
cloud_with_lightning=cloud_lightning cloud_with_lightning_and_rain=thunder_cloud_rain cloud_with_rain=cloud_rain
cloud_with_snow=cloud_snow clown_face=clown cn=flag_cn cocos_islands=flag_cc colombia=flag_co comoros=flag_km
computer_mouse=mouse_three_button congo_brazzaville=flag_cg congo_kinshasa=flag_cd
construction_worker_man=man_construction_worker construction_worker_woman=woman_construction_worker
cook_islands=flag_ck costa_rica=flag_cr cote_divoire=flag_ci couch_and_lamp=couch couple_with_heart_man_man=couple_mm
couple_with_heart_woman_woman=couple_ww couplekiss_man_man=kiss_mm couplekiss_man_woman=kiss_woman_man
couplekiss_woman_woman=kiss_ww cowboy_hat_face=cowboy cricket_game=cricket croatia=flag_hr
crossed_fingers=fingers_crossed cuba=flag_cu curacao=flag_cw curly_haired_man=man_curly_hair
curly_haired_woman=woman_curly_hair cursing_face=face_with_symbols_on_mouth cyprus=flag_cy czech_republic=flag_cz
dancing_men=men_with_bunny_ears dancing_women=women_with_bunny_ears de=flag_de denmark=flag_dk
derelict_house=house_abandoned desert_island=island desktop_computer=desktop detective=spy diego_garcia=flag_dg
djibouti=flag_dj dominica=flag_dm dominican_republic=flag_do ecuador=flag_ec egypt=flag_eg eject_button=eject
el_salvador=flag_sv elf_man=man_elf elf_woman=woman_elf email=e-mail england=flag_england equatorial_guinea=flag_gq
eritrea=flag_er es=flag_es estonia=flag_ee ethiopia=flag_et eu=flag_eu eye_speech_bubble=eye_in_speech_bubble
face_with_head_bandage=head_bandage face_with_thermometer=thermometer_face facepalm=face_palm fairy_man=man_fairy
fairy_woman=woman_fairy falkland_islands=flag_fk family_man_man_boy=family_mmb family_man_man_boy_boy=family_mmbb
family_man_man_girl=family_mmg family_man_man_girl_boy=family_mmgb family_man_man_girl_girl=family_mmgg
family_man_woman_boy_boy=family_mwbb family_man_woman_girl=family_mwg family_man_woman_girl_boy=family_mwgb
family_man_woman_girl_girl=family_mwgg family_woman_woman_boy=family_wwb family_woman_woman_boy_boy=family_wwbb
family_woman_woman_girl=family_wwg family_woman_woman_girl_boy=family_wwgb family_woman_woman_girl_girl=family_wwgg
faroe_islands=flag_fo female_detective=woman_detective fiji=flag_fj film_projector=projector film_strip=film_frames
finland=flag_fi fist_left=left_facing_fist fist_oncoming=punch fist_raised=fist fist_right=right_facing_fist
fleur_de_lis=fleur-de-lis flight_arrival=airplane_arriving flight_departure=airplane_departure
fountain_pen=pen_fountain fox_face=fox fr=flag_fr framed_picture=frame_photo french_guiana=flag_gf
french_polynesia=flag_pf french_southern_territories=flag_tf fried_egg=cooking frowning_face=frowning2
frowning_man=man_frowning frowning_person=person_frowning frowning_woman=woman_frowning funeral_urn=urn gabon=flag_ga
gambia=flag_gm gb=flag_gb genie_man=man_genie genie_woman=woman_genie georgia=flag_ge ghana=flag_gh gibraltar=flag_gi
goal_net=goal golfing=golfer golfing_man=man_golfing golfing_woman=woman_golfing greece=flag_gr green_salad=salad
greenland=flag_gl grenada=flag_gd guadeloupe=flag_gp guam=flag_gu guard=guardsman guardsman=man_guard
guardswoman=woman_guard guatemala=flag_gt guernsey=flag_gg guinea=flag_gn guinea_bissau=flag_gw guyana=flag_gy
haircut_man=man_getting_haircut haircut_woman=woman_getting_haircut haiti=flag_ht hammer_and_pick=hammer_pick
hammer_and_wrench=tools hand=raised_hand hand_over_mouth=face_with_hand_over_mouth handball_person=handball hankey=poop
heard_mcdonald_islands=flag_hm heavy_heart_exclamation=heart_exclamation hocho=knife honduras=flag_hn hong_kong=flag_hk
houses=homes hugs=hugging hungary=flag_hu ice_cube=ice ice_hockey=hockey iceland=flag_is india=flag_in
indonesia=flag_id iran=flag_ir iraq=flag_iq ireland=flag_ie isle_of_man=flag_im israel=flag_il it=flag_it
jamaica=flag_jm jersey=flag_je jigsaw=puzzle_piece jordan=flag_jo jp=flag_jp juggling_person=juggling
kazakhstan=flag_kz kenya=flag_ke keycap_ten=ten kick_scooter=scooter kiribati=flag_ki kiwi_fruit=kiwi
kneeling_man=man_kneeling kneeling_person=person_kneeling kneeling_woman=woman_kneeling kosovo=flag_xk kr=flag_kr
kuwait=flag_kw kyrgyzstan=flag_kg lady_beetle=beetle laos=flag_la latin_cross=cross latvia=flag_lv lebanon=flag_lb
left_speech_bubble=speech_left lesotho=flag_ls liberia=flag_lr libya=flag_ly liechtenstein=flag_li lion=lion_face
lithuania=flag_lt lotus_position=person_in_lotus_position lotus_position_man=man_in_lotus_position
lotus_position_woman=woman_in_lotus_position luxembourg=flag_lu macau=flag_mo macedonia=flag_mk madagascar=flag_mg
mage_man=man_mage mage_woman=woman_mage malawi=flag_mw malaysia=flag_my maldives=flag_mv male_detective=man_detective
mali=flag_ml malta=flag_mt man_with_probing_cane=man_with_white_cane man_with_turban=man_wearing_turban
mantelpiece_clock=clock marshall_islands=flag_mh martinique=flag_mq massage_man=man_getting_massage
massage_woman=woman_getting_massage mauritania=flag_mr mauritius=flag_mu mayotte=flag_yt medal_military=military_medal
medal_sports=medal memo=pencil mexico=flag_mx micronesia=flag_fm milk_glass=milk moldova=flag_md monaco=flag_mc
money_mouth_face=money_mouth mongolia=flag_mn monocle_face=face_with_monocle montenegro=flag_me montserrat=flag_ms
moon=waxing_gibbous_moon morocco=flag_ma motor_boat=motorboat mountain_biking_man=man_mountain_biking
mountain_biking_woman=woman_mountain_biking mozambique=flag_mz myanmar=flag_mm namibia=flag_na national_park=park
nauru=flag_nr nepal=flag_np nerd_face=nerd netherlands=flag_nl new_caledonia=flag_nc new_zealand=flag_nz
newspaper_roll=newspaper2 next_track_button=track_next nicaragua=flag_ni niger=flag_ne nigeria=flag_ng niue=flag_nu
no_good_man=man_gesturing_no no_good_woman=woman_gesturing_no norfolk_island=flag_nf north_korea=flag_kp
northern_mariana_islands=flag_mp norway=flag_no oil_drum=oil ok_man=man_gesturing_ok ok_person=ok_woman
ok_woman=woman_gesturing_ok old_key=key2 older_adult=older_person om=om_symbol oman=flag_om open_umbrella=umbrella2
pakistan=flag_pk palau=flag_pw palestinian_territories=flag_ps panama=flag_pa papua_new_guinea=flag_pg paraguay=flag_py
parasol_on_ground=beach_umbrella passenger_ship=cruise_ship peace_symbol=peace pen=pen_ballpoint person_fencing=fencer
person_in_tuxedo=man_in_tuxedo person_with_probing_cane=person_with_white_cane person_with_turban=man_with_turban
person_with_veil=bride_with_veil
peru=flag_pe philippines=flag_ph phone=telephone pitcairn_islands=flag_pn plate_with_cutlery=fork_knife_plate
play_or_pause_button=play_pause poland=flag_pl police_officer=cop policeman=man_police_officer
policewoman=woman_police_officer portugal=flag_pt pouting_face=person_with_pouting_face pouting_man=man_pouting
pouting_woman=woman_pouting previous_track_button=track_previous probing_cane=white_cane puerto_rico=flag_pr
qatar=flag_qa racing_car=race_car rainbow_flag=gay_pride_flag raised_eyebrow=face_with_raised_eyebrow
raised_hand_with_fingers_splayed=hand_splayed raising_hand_man=man_raising_hand raising_hand_woman=woman_raising_hand
red_haired_man=man_red_hair red_haired_woman=woman_red_hair rescue_worker_helmet=helmet_with_cross reunion=flag_re
rhinoceros=rhino right_anger_bubble=anger_right roll_eyes=rolling_eyes romania=flag_ro rowing_man=man_rowing_boat
rowing_woman=woman_rowing_boat ru=flag_ru running_man=man_running running_woman=woman_running rwanda=flag_rw
samoa=flag_ws san_marino=flag_sm sao_tome_principe=flag_st saudi_arabia=flag_sa sauna_man=man_in_steamy_room
sauna_person=person_in_steamy_room sauna_woman=woman_in_steamy_room scotland=flag_scotland senegal=flag_sn
serbia=flag_rs seychelles=flag_sc shopping=shopping_bags sierra_leone=flag_sl singapore=flag_sg sint_maarten=flag_sx
skull_and_crossbones=skull_crossbones sleeping_bed=sleeping_accommodation slightly_frowning_face=slight_frown
slightly_smiling_face=slight_smile slovakia=flag_sk slovenia=flag_si small_airplane=airplane_small
smiling_face_with_three_hearts=smiling_face_with_hearts snowman_with_snow=snowman2 solomon_islands=flag_sb
somalia=flag_so south_africa=flag_za south_georgia_south_sandwich_islands=flag_gs south_sudan=flag_ss
spiral_calendar=calendar_spiral spiral_notepad=notepad_spiral sri_lanka=flag_lk st_barthelemy=flag_bl st_helena=flag_sh
st_kitts_nevis=flag_kn st_lucia=flag_lc st_martin=flag_mf st_pierre_miquelon=flag_pm st_vincent_grenadines=flag_vc
standing_man=man_standing standing_person=person_standing standing_woman=woman_standing stop_sign=octagonal_sign
studio_microphone=microphone2 sudan=flag_sd sun_behind_large_cloud=white_sun_cloud
sun_behind_rain_cloud=white_sun_rain_cloud sun_behind_small_cloud=white_sun_small_cloud superhero_man=man_superhero
superhero_woman=woman_superhero supervillain_man=man_supervillain supervillain_woman=woman_supervillain
surfing_man=man_surfing surfing_woman=woman_surfing suriname=flag_sr svalbard_jan_mayen=flag_sj swaziland=flag_sz
sweden=flag_se swim_brief=briefs swimming_man=man_swimming swimming_woman=woman_swimming switzerland=flag_ch
syria=flag_sy t-rex=t_rex taiwan=flag_tw tajikistan=flag_tj tanzania=flag_tz thailand=flag_th timer_clock=timer
timor_leste=flag_tl tipping_hand_man=man_tipping_hand tipping_hand_person=information_desk_person
tipping_hand_woman=woman_tipping_hand togo=flag_tg tokelau=flag_tk tonga=flag_to tornado=cloud_tornado tr=flag_tr
trinidad_tobago=flag_tt tristan_da_cunha=flag_ta tunisia=flag_tn turkmenistan=flag_tm turks_caicos_islands=flag_tc
tuvalu=flag_tv uganda=flag_ug ukraine=flag_ua united_arab_emirates=flag_ae united_nations=flag_united_nations
upside_down_face=upside_down uruguay=flag_uy us=flag_us us_outlying_islands=flag_um us_virgin_islands=flag_vi
uzbekistan=flag_uz vampire_man=man_vampire vampire_woman=woman_vampire vanuatu=flag_vu vatican_city=flag_va
venezuela=flag_ve vietnam=flag_vn vomiting_face=face_vomiting vulcan_salute=vulcan wales=flag_wales
walking_man=man_walking walking_woman=woman_walking wallis_futuna=flag_wf weight_lifting=lifter
weight_lifting_man=man_lifting_weights weight_lifting_woman=woman_lifting_weights western_sahara=flag_eh
white_flag=flag_white white_haired_man=man_white_hair white_haired_woman=woman_white_hair wilted_flower=wilted_rose
wind_face=wind_blowing_face woman_dancing=dancer woman_with_probing_cane=woman_with_white_cane
woman_with_turban=woman_wearing_turban world_map=map wrestling=wrestlers yemen=flag_ye zambia=flag_zm zimbabwe=flag_zw
zipper_mouth_face=zipper_mouth zombie_man=man_zombie zombie_woman=woman_zombie
`;
