Mas venida la fe , ya no estamos bajo ayo ;
He aquí yo Pablo os digo , que si os circuncidareis , Cristo no os aprovechará nada .
Un poco de levadura leuda toda la masa .
Yo confío de vosotros en el Señor , que ninguna otra cosa sentiréis : mas el que os inquieta , llevará el juicio , quienquiera que él sea .
Porque la carne codicia contra el Espíritu , y el Espíritu contra la carne : y estas cosas se oponen la una á la otra , para que no hagáis lo que quisiereis .
Porque los que son de Cristo , han crucificado la carne con los afectos y concupiscencias .
Porque cada cual llevará su carga .
Todos los que quieren agradar en la carne , éstos os constriñen á que os circuncidéis , solamente por no padecer persecución por la cruz de Cristo .
Que sobreabundó en nosotros en toda sabiduría é inteligencia ;
No ceso de dar gracias por vosotros , haciendo memoria de vosotros en mis oraciones ;
Alumbrando los ojos de vuestro entendimiento , para que sepáis cuál sea la esperanza de su vocación , y cuáles las riquezas de la gloria de su herencia en los santos ,
Y sometió todas las cosas debajo de sus pies , y diólo por cabeza sobre todas las cosas á la iglesia ,
YDE ella recibisteis vosotros , que estabais muertos en vuestros delitos y pecados ,
Porque él es nuestra paz , que de ambos hizo uno , derribando la pared intermedia de separación ;
Que por él los unos y los otros tenemos entrada por un mismo Espíritu al Padre .
POR esta causa yo Pablo , prisionero de Cristo Jesús por vosotros los Gentiles ,
El cualmisterioen los otros siglos no se dió á conocer á los hijos de los hombres como ahora es revelado á sus santos apóstoles y profetas en el Espíritu :
( Y que subió , ¿ qué es , sino que también había descendido primero á las partes más bajas de la tierra ?
Teniendo el entendimiento entenebrecido , ajenos de la vida de Dios por la ignorancia que en ellos hay , por la dureza de su corazón :
SED , pues , imitadores de Dios como hijos amados :
Porque sabéis esto , que ningún fornicario , ó inmundo , ó avaro , que es servidor de ídolos , tiene herencia en el reino de Cristo y de Dios .
Porque torpe cosa es aun hablar de lo que ellos hacen en oculto .
Y por mí , para que me sea dada palabra en el abrir de mi boca con confianza , para hacer notorio el misterio del evangelio ,
Mas para que también vosotros sepáis mis negocios , y cómo lo paso , todo os lo hará saber Tichîco , hermano amado y fiel ministro en el Señor :
Gracia sea con todos los que aman á nuestro Señor Jesucristo en sinceridad . Amén . Escrita de Roma á los Efesios por Tichîco .
Doy gracias á mi Dios en toda memoria de vosotros ,
Como me es justo sentir esto de todos vosotros , por cuanto os tengo en el corazón ; y en mis prisiones , y en la defensa y confirmación del evangelio , sois todos vosotros compañeros de mi gracia .
Y esto ruego , que vuestro amor abunde aun más y más en ciencia y en todo conocimiento ,
Los unos anuncian á Cristo por contención , no sinceramente , pensando añadir aflicción á mis prisiones ;
Cuanto al celo , perseguidor de la iglesia ; cuanto á la justicia que es en la ley , irreprensible .
Sé estar humillado , y sé tener abundancia : en todo y por todo estoy enseñado , así para hartura como para hambre , así para tener abundancia como para padecer necesidad .
Todos los santos os saludan , y mayormente los que son de casa de César .
En el cual tenemos redención por su sangre , la remisión de pecados :
Para que sean confortados sus corazones , unidos en amor , y en todas riquezas de cumplido entendimiento para conocer el misterio de Dios , y del Padre , y de Cristo ;
En el cual también sois circuncidados de circuncisión no hecha con manos , con el despojamiento del cuerpo de los pecados de la carne , en la circuncisión de Cristo ;
Rayendo la cédula de los ritos que nos era contraria , que era contra nosotros , quitándola de en medio y enclavándola en la cruz ;
Y no teniendo la cabeza , de la cual todo el cuerpo , alimentado y conjunto por las ligaduras y conjunturas , crece en aumento de Dios .
Pues si sois muertos con Cristo cuanto á los rudimentos del mundo , ¿ por qué como si vivieseis al mundo , os sometéis á ordenanzas ,
Cuando Cristo , vuestra vida , se manifestare , entonces vosotros también seréis manifestados con él en gloria .
Por las cuales cosas la ira de Dios viene sobre los hijos de rebelión .
Mas ahora , dejad también vosotros todas estas cosas : ira , enojo , malicia , maledicencia , torpes palabras de vuestra boca .
Siervos , obedeced en todo á vuestros amos carnales , no sirviendo al ojo , como los que agradan á los hombres , sino con sencillez de corazón , temiendo á Dios :
En tal manera que habéis sido ejemplo á todos los que han creído en Macedonia y en Acaya .
Porque de vosotros ha sido divulgada la palabra del Señor no sólo en Macedonia y en Acaya , mas aun en todo lugar vuestra fe en Dios se ha extendido ; de modo que no tenemos necesidad de hablar nada .
Así como sabéis de qué modo exhortábamos y consolábamos á cada uno de vosotros , como el padre á sus hijos ,
Por lo cual , ¿ qué hacimiento de gracias podremos dar á Dios por vosotros , por todo el gozo con que nos gozamos á causa de vosotros delante de nuestro Dios ,
A fin de que andéis honestamente para con los extraños , y no necesitéis de nada .
Por tanto , no durmamos como los demás ; antes velemos y seamos sobrios .
Porque los que duermen , de noche duermen ; y los que están borrachos , de noche están borrachos .
También os rogamos , hermanos , que amonestéis á los que andan desordenadamente , que consoléis á los de poco ánimo , que soportéis á los flacos , que seáis sufridos para con todos .
No menospreciéis las profecías .
Tanto , que nosotros mismos nos gloriamos de vosotros en las iglesias de Dios , de vuestra paciencia y fe en todas vuestras persecuciones y tribulaciones que sufrís :
Mas nosotros debemos dar siempre gracias á Dios por vosotros , hermanos amados del Señor , de que Dios os haya escogido desde el principio para salud , por la santificación del Espíritu y fe de la verdad :
Y el Señor enderece vuestros corazones en el amor de Dios , y en la paciencia de Cristo .
Ni comimos el pan de ninguno de balde ; antes , obrando con trabajo y fatiga de noche y de día , por no ser gravosos á ninguno de vosotros ;
Porque oímos que andan algunos entre vosotros fuera de orden , no trabajando en nada , sino ocupados en curiosear .
Y vosotros , hermanos , no os canséis de hacer bien .
Queriendo ser doctores de la ley , sin entender ni lo que hablan , ni lo que afirman .
Mas por esto fuí recibido á misericordia , para que Jesucristo mostrase en mí el primero toda su clemencia , para ejemplo de los que habían de creer en él para vida eterna .
El cual quiere que todos los hombres sean salvos , y que vengan al conocimiento de la verdad .
No un neófito , porque inflándose no caiga en juicio del diablo .
Y sin contradicción , grande es el misterio de la piedad : Dios ha sido manifestado en carne ; ha sido justificado con el Espíritu ; ha sido visto de los ángeles ; ha sido predicado á los Gentiles ; ha sido creído en el mundo ; ha sido recibido en gloria .
Esto manda y enseña .
Porque la Escritura dice : No embozarás al buey que trilla ; y : Digno es el obrero de su jornal .
A los que pecaren , repréndelos delante de todos , para que los otros también teman .
Que hagan bien , que sean ricos en buenas obras , dadivosos , que con facilidad comuniquen ;
Dé el Señor misericordia á la casa de Onesíforo ; que muchas veces me refrigeró , y no se avergonzó de mi cadena :
Que habrá hombres amadores de sí mismos , avaros , vanagloriosos , soberbios , detractores , desobedientes á los padres , ingratos , sin santidad ,
Porque vendrá tiempo cuando no sufrirán la sana doctrina ; antes , teniendo comezón de oir , se amontonarán maestros conforme á sus concupiscencias ,
Esperando aquella esperanza bienaventurada , y la manifestación gloriosa del gran Dios y Salvador nuestro Jesucristo ,
Mas las cuestiones necias , y genealogías , y contenciones , y debates acerca de la ley , evita ; porque son sin provecho y vanas .
Y asimismo prepárame también alojamiento ; porque espero que por vuestras oraciones os tengo de ser concedido .
Empero entramos en el reposo los que hemos creído , de la manera que dijo : Como juré en mi ira , no entrarán en mi reposo : aun acabadas las obras desde el principio del mundo .
Así que , pues que resta que algunos han de entrar en él , y aquellos á quienes primero fué anunciado no entraron por causa de desobediencia ,
Porque si Josué les hubiera dado el reposo , no hablaría después de otro día .
Por tanto , queda un reposo para el pueblo de Dios .
Por tanto , teniendo un gran Pontífice , que penetró los cielos , Jesús el Hijo de Dios , retengamos nuestra profesión .
Que se pueda compadecer de los ignorantes y extraviados , pues que él también está rodeado de flaqueza ;
Y asimismo gustaron la buena palabra de Dios , y las virtudes del siglo venidero ,
Donde entró por nosotros como precursor Jesús , hecho Pontífice eternalmente según el orden de Melchîsedec .
El mandamiento precedente , cierto se abroga por su flaqueza é inutilidad ;
Porque todo pontífice es puesto para ofrecer presentes y sacrificios ; por lo cual es necesario que también éste tuviese algo que ofrecer .
Los cuales sirven de bosquejo y sombra de las cosas celestiales , como fué respondido á Moisés cuando había de acabar el tabernáculo : Mira , dice , haz todas las cosas conforme al dechado que te ha sido mostrado en el monte .
Y ninguno enseñará á su prójimo , ni ninguno á su hermano , diciendo : Conoce al Señor : porque todos me conocerán , desde el menor de ellos hasta el mayor .
Porque seré propicio á sus injusticias , y de sus pecados y de sus iniquidades no me acordaré más .
TENÍA empero también el primerpactoreglamentos del culto , y santuario mundano .
Y sobre ella los querubines de gloria que cubrían el propiciatorio ; de las cuales cosas no se puede ahora hablar en particular .
Y casi todo es purificado según la ley con sangre ; y sin derramamiento de sangre no se hace remisión .
Así que , todo sacerdote se presenta cada día ministrando y ofreciendo muchas veces los mismos sacrificios , que nunca pueden quitar los pecados :
¿ Cuánto pensáis que será más digno de mayor castigo , el que hollare al Hijo de Dios , y tuviere por inmunda la sangre del testamento , en la cual fué santificado , é hiciere afrenta al Espíritu de gracia ?
Mas os habéis llegado al monte de Sión , y á la ciudad del Dios vivo , Jerusalem la celestial , y á la compañía de muchos millares de ángeles ,
Y á la congregación de los primogénitos que están alistados en los cielos , y á Dios el Juez de todos , y á los espíritus de los justos hechos perfectos ,
Sino que cada uno es tentado , cuando de su propia concupiscencia es atraído , y cebado .
Porque si alguno oye la palabra , y no la pone por obra , este tal es semejante al hombre que considera en un espejo su rostro natural .
Mas el que hubiere mirado atentamente en la perfecta ley , que es la de la libertad , y perseverado en ella , no siendo oidor olvidadizo , sino hacedor de la obra , este tal será bienaventurado en su hecho .
Hermanos míos amados , oid : ¿ No ha elegido Dios los pobres de este mundo , ricos en fe , y herederos del reino que ha prometido á los que le aman ?
Porque el que dijo : No cometerás adulterio , también ha dicho : No matarás . Ahora bien , si no hubieres cometido adulterio , pero hubieres matado , ya eres hecho transgresor de la ley .
Y alguno de vosotros les dice : Id en paz , calentaos y hartaos ; pero no les diereis las cosas que son necesarias para el cuerpo : ¿ qué aprovechará ?
Con ella bendecimos al Dios y Padre , y con ella maldecimos á los hombres , los cuales son hechos á la semejanza de Dios .
Adúlteros y adúlteras , ¿ no sabéis que la amistad del mundo es enemistad con Dios ? Cualquiera pues que quisiere ser amigo del mundo , se constituye enemigo de Dios .
Ea ahora , los que decís : Hoy y mañana iremos á tal ciudad , y estaremos allá un año , y compraremos mercadería , y ganaremos :
EA ya ahora , oh ricos , llorad aullando por vuestras miserias que os vendrán .
Tened también vosotros paciencia ; confirmad vuestros corazones : porque la venida del Señor se acerca .
Elías era hombre sujeto á semejantes pasiones que nosotros , y rogó con oración que no lloviese , y no llovió sobre la tierra en tres años y seis meses .
Para una herencia incorruptible , y que no puede contaminarse , ni marchitarse , reservada en los cielos
Honrad á todos . Amad la fraternidad . Temed á Dios . Honrad al rey .
Mas el fin de todas las cosas se acerca : sed pues templados , y velad en oración .
Y si el justo con dificultad se salva , ¿ á dónde aparecerá el infiel y el pecador ?
Y no como teniendo señorío sobre las heredades del Señor , sino siendo dechados de la grey .
Al cual resistid firmes en la fe , sabiendo que las mismas aflicciones han de ser cumplidas en la compañía de vuestros hermanos que están en el mundo .
Mas el Dios de toda gracia , que nos ha llamado á su gloria eterna por Jesucristo , después que hubiereis un poco de tiempo padecido , él mismo os perfeccione , confirme , corrobore y establezca .
La iglesia que está en Babilonia , juntamente elegida con vosotros , os saluda , y Marcos mi hijo .
También yo procuraré con diligencia , que después de mi fallecimiento , vosotros podáis siempre tener memoria de estas cosas .
Sabiendo primero esto , que en los postrimeros días vendrán burladores , andando según sus propias concupiscencias ,
Y diciendo : ¿ Dónde está la promesa de su advenimiento ? porque desde el día en que los padres durmieron , todas las cosas permanecen así como desde el principio de la creación .
( Porque la vida fué manifestada , y vimos , y testificamos , y os anunciamos aquella vida eterna , la cual estaba con el Padre , y nos ha aparecido ; )
Y estas cosas os escribimos , para que vuestro gozo sea cumplido .
No os he escrito como si ignoraseis la verdad , sino como á los que la conocéis , y que ninguna mentira es de la verdad .
Pues lo que habéis oído desde el principio , sea permaneciente en vosotros . Si lo que habéis oído desde el principio fuere permaneciente en vosotros , también vosotros permaneceréis en el Hijo y en el Padre .
Si sabéis que él es justo , sabed también que cualquiera que hace justicia , es nacido de él .
Cualquiera que es nacido de Dios , no hace pecado , porque su simiente está en él ; y no puede pecar , porque es nacido de Dios .
Amados , si Dios así nos ha amado , debemos también nosotros amarnos unos á otros .
EL anciano á la señora elegida y á sus hijos , á los cuales yo amo en verdad ; y no yo solo , sino también todos los que han conocido la verdad ,
Ciertamente me gocé mucho cuando vinieron los hermanos y dieron testimonio de tu verdad , así como tú andas en la verdad .
Mas vosotros , oh amados , edificándoos sobre vuestra santísima fe , orando por el Espíritu Santo ,
Y recibid á los unos en piedad , discerniendo :
Yo Juan , vuestro hermano , y participante en la tribulación y en el reino , y en la paciencia de Jesucristo , estaba en la isla que es llamada Patmos , por la palabra de Dios y el testimonio de Jesucristo .
Sé vigilante y confirma las otras cosas que están para morir ; porque no he hallado tus obras perfectas delante de Dios .
El que venciere , será vestido de vestiduras blancas ; y no borraré su nombre del libro de la vida , y confesaré su nombre delante de mi Padre , y delante de sus ángeles .
El que tiene oído , oiga lo que el Espíritu dice á las iglesias .
Y cuando él abrió el segundo sello , oí al segundo animal , que decía : Ven y ve .
Y miré , y he aquí un caballo amarillo : y el que estaba sentado sobre él tenía por nombre Muerte ; y el infierno le seguía : y le fué dada potestad sobre la cuarta parte de la tierra , para matar con espada , con hambre , con mortandad , y con las bestias de la tierra .
Y tenían cabellos como cabellos de mujeres : y sus dientes eran como dientes de leones .
Y cuando ellos hubieren acabado su testimonio , la bestia que sube del abismo hará guerra contra ellos , y los vencerá , y los matará .
Y el séptimo ángel tocó la trompeta , y fueron hechas grandes voces en el cielo , que decían : Los reinos del mundo han venido á ser los reinos de nuestro Señor , y de su Cristo : y reinará para siempre jamás .
Y la mujer huyó al desierto , donde tiene lugar aparejado de Dios , para que allí la mantengan mil doscientos y sesenta días .
Y cuando vió el dragón que él había sido arrojado á la tierra , persiguió á la mujer que había parido al hijo varón .
Y la tierra ayudó á la mujer , y la tierra abrió su boca , y sorbió el río que había echado el dragón de su boca .
Y vi otro ángel volar por en medio del cielo , que tenía el evangelio eterno para predicarlo á los que moran en la tierra , y á toda nación y tribu y lengua y pueblo ,
Y uno de los cuatro animales dió á los siete ángeles siete copas de oro , llenas de la ira de Dios , que vive para siempre jamás .
Entonces fueron hechos relámpagos y voces y truenos ; y hubo un gran temblor de tierra , un terremoto tan grande , cual no fué jamás desde que los hombres han estado sobre la tierra .
Y oí otra voz del cielo , que decía : Salid de ella , pueblo mío , porque no seáis participantes de sus pecados , y que no recibáis de sus plagas ;
Y luz de antorcha no alumbrará más en ti ; y voz de esposo ni de esposa no será más en ti oída ; porque tus mercaderes eran los magnates de la tierra ; porque en tus hechicerías todas las gentes han errado .
Y vi un ángel que estaba en el sol , y clamó con gran voz , diciendo á todas las aves que volaban por medio del cielo : Venid , y congregaos á la cena del gran Dios ,
Y prendió al dragón , aquella serpiente antigua , que es el Diablo y Satanás , y le ató por mil años ;
Y vi tronos , y se sentaron sobre ellos , y les fué dado juicio ; y vilas almas de los degollados por el testimonio de Jesús , y por la palabra de Dios , y que no habían adorado la bestia , ni á su imagen , y que no recibieron la señal en sus frentes , ni en sus manos ; y vivieron y reinaron con Cristo mil años .
Y oí una gran voz del cielo que decía : He aquí el tabernáculo de Dios con los hombres , y morará con ellos ; y ellos serán su pueblo , y el mismo Dios será su Dios con ellos .
Y el que estaba sentado en el trono dijo : He aquí , yo hago nuevas todas las cosas . Y me dijo : Escribe ; porque estas palabras son fieles y verdaderas .
DESPUÉS me mostró un río limpio de agua de vida , resplandeciente como cristal , que salía del trono de Dios y del Cordero .
Bienaventurados los que guardan sus mandamientos , para que su potencia sea en el árbol de la vida , y que entren por las puertas en la ciudad .
